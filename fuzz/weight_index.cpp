// The index of a Hugging Face directory's shards: what it names are tensors of files in that directory.
#include <cstddef>
#include <cstdint>

#include "attempt.h"
#include "base/error.h"
#include "importers/testing/files.h"
#include "importers/testing/safetensors_writer.h"
#include "importers/weight_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hyalite;
  static const testing::TemporaryDirectory directory;
  [[maybe_unused]] static const bool once = [] {
    directory.write("a.safetensors", testing::SafetensorsWriter().add_f32("norm", {2}).add_f32("head", {1, 2}).bytes());
    directory.write("b.safetensors", testing::SafetensorsWriter().add_f32("table", {1, 2}).bytes());
    return true;
  }();
  directory.write("model.safetensors.index.json", {reinterpret_cast<const char*>(data), size});
  attempt([&] {
    SourceFiles files;
    for (const auto& [name, tensor] : open_weight_files(directory.path(), files).tensors) {
      HYALITE_CHECK(std::filesystem::path(tensor.source.file).parent_path() == directory.path(), "a file of another directory");
      HYALITE_CHECK(tensor.source.tensor == name, "another tensor");
    }
  });
  return 0;
}
