#include "importers/source_files.h"

namespace hyalite {

std::shared_ptr<MappedFile> open_source(const std::filesystem::path& path, SourceFiles& files) {
  std::shared_ptr<MappedFile> file = MappedFile::open(path);
  files.push_back(file);
  return file;
}

Json read_source_json(const std::string& path, const JsonLimits& limits, SourceFiles& files) {
  const auto file = open_source(path, files);
  const auto bytes = file->bytes();
  Json json = parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, limits);
  file->release(0, bytes.size());
  return json;
}

}  // namespace hyalite
