// The neighbours of tokenizer.json, one at a time: the ids that each gives are those of pieces.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "attempt.h"
#include "base/error.h"
#include "importers/testing/files.h"
#include "importers/tokenizer_json.h"

namespace {

using namespace hyalite;

constexpr std::array kNeighbours = {"tokenizer_config.json", "special_tokens_map.json", "generation_config.json", "chat_template.jinja"};
constexpr std::string_view kTokenizer = R"({
  "added_tokens": [{"id": 4, "content": "<s>", "special": true}, {"id": 5, "content": "</s>", "special": true}],
  "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "c": 3}, "merges": [["a", "b"]]}
})";

void check_ids(const TokenizerSpec& spec) {
  const auto is_piece = [&](int32_t id) { return id >= 0 && id < static_cast<int32_t>(spec.pieces.size()); };
  for (int32_t id : {spec.bos, spec.eos, spec.pad}) HYALITE_CHECK(id == -1 || is_piece(id), "an id outside the vocabulary");
  for (const auto* ids : {&spec.prefix, &spec.suffix, &spec.end_of_generation})
    for (int32_t id : *ids) HYALITE_CHECK(is_piece(id), "an id outside the vocabulary");
}

TokenizerSpec import_directory(const std::filesystem::path& directory) {
  SourceFiles files;
  return import_tokenizer_directory(directory, files);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::array<testing::TemporaryDirectory, kNeighbours.size()> directories;
  [[maybe_unused]] static const bool once = [] {
    for (const auto& directory : directories) {
      directory.write("tokenizer.json", kTokenizer);
      import_directory(directory.path());  // it is not the tokenizer that is refused
    }
    return true;
  }();
  for (size_t i = 0; i < kNeighbours.size(); ++i) {
    directories[i].write(kNeighbours[i], {reinterpret_cast<const char*>(data), size});
    attempt([&] { check_ids(import_directory(directories[i].path())); });
  }
  return 0;
}
