// artifact.json: its fields, the trace of the passes, which comes back the same from its own text, and the index of the weights, which
// leads nowhere but into their file.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "attempt.h"
#include "base/digest.h"
#include "base/error.h"
#include "compile/artifact_view.h"
#include "compile/trace_json.h"
#include "compile/weight_file.h"
#include "importers/testing/files.h"

namespace {

using namespace hyalite;

// The index gets the digest of `weights`, or none would come past it.
void map_weights(const ArtifactView& view, const std::filesystem::path& path, const std::string& weights) {
  Json index = view.description().field("weights");
  if (index.is_object()) index["digest"] = digest_of(weights);
  const auto mapped = map_weight_file(path, JsonReader(index, "artifact.json.weights"), nullptr);
  for (const auto& [key, entry] : mapped->entries()) {
    HYALITE_CHECK(entry.bytes <= weights.size(), "a weight is larger than the file");
    digest_of(std::string_view(reinterpret_cast<const char*>(entry.data), entry.bytes));  // of every byte: it can be read
  }
}

void check_traces(const ArtifactView& view) {
  const Json text = traces_to_json(traces_from_json(view.description()));
  const Json object = {{"passes", text}};
  HYALITE_CHECK(traces_to_json(traces_from_json(JsonReader(object, "again"))) == text, "the trace's text is another trace");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const testing::TemporaryDirectory directory;
  static const std::string weights(4096, 'w');  // a page, so that nothing is mapped behind it
  static const std::filesystem::path weight_file = directory.write("weights/packed.bin", weights);
  directory.write("artifact.json", {reinterpret_cast<const char*>(data), size});
  attempt([&] {
    const ArtifactView view(directory.path());
    attempt([&] { view.is_complete(); });
    attempt([&] { view.info(); });
    attempt([&] { view.weights(); });
    attempt([&] { view.passes(); });
    attempt([&] { view.tokenizer(); });
    attempt([&] { check_traces(view); });
    attempt([&] { map_weights(view, weight_file, weights); });
  });
  return 0;
}
