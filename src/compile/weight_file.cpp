#include "compile/weight_file.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/cancellation.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/mapped_file.h"

namespace hyalite {
namespace {

constexpr size_t kAlignment = 64;

struct Record {
  WeightKey key;
  TensorType type;
  size_t offset = 0, bytes = 0;
};

Json record_to_json(const Record& record) {
  Json dims = Json::array();
  for (const Dim& dim : record.type.dims) dims.push_back(dim.value());
  return {{"name", record.key.name},
          {"dtype", format_of(record.key.dtype).name},
          {"dims", dims},
          {"layout", record.key.layout},
          {"offset", record.offset},
          {"bytes", record.bytes}};
}

void write_bytes(AtomicFile& file, std::span<const uint8_t> bytes, const std::atomic<bool>* cancel) {
  constexpr size_t kPiece = size_t{8} << 20;  // a disk takes it in a fraction of a second
  for (size_t at = 0; at < bytes.size(); at += kPiece) {
    throw_if_set(cancel);
    file.write(bytes.subspan(at, std::min(kPiece, bytes.size() - at)));
  }
}

size_t padded(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

Record record_from(const JsonReader& from) {
  const auto format = from.get<std::string>("dtype");
  const auto dtype = dtype_named(format);
  if (!dtype) from.fail("unknown format " + format);
  Record record{.key = {from.get<std::string>("name"), *dtype, from.get<std::string>("layout")}, .type = {*dtype, {}}};
  for (int64_t dim : from.get<std::vector<int64_t>>("dims")) record.type.dims.emplace_back(dim);
  record.offset = from.get<size_t>("offset");
  record.bytes = from.get<size_t>("bytes");
  return record;
}

// Entries as write_weight_file() lays them: in the order of their keys, each where the one before it ends.
std::vector<Record> records_from(const JsonReader& index) {
  const auto bytes = index.get<size_t>("bytes");
  std::vector<Record> records;
  size_t at = 0;
  index.each("entries", [&](const JsonReader& from) {
    Record record = record_from(from);
    if (!records.empty() && !(records.back().key < record.key)) from.fail("weight " + record.key.name + " is not in its place");
    if (record.offset != at || record.bytes > bytes - at || padded(record.bytes) > bytes - at)
      from.fail("weight " + record.key.name + " does not lie where the one before it ends");
    at += padded(record.bytes);
    records.push_back(std::move(record));
  });
  if (at != bytes) index.fail("its entries have " + std::to_string(at) + " bytes, expected " + std::to_string(bytes));
  return records;
}

}  // namespace

Json write_weight_file(const WeightSet& weights, const std::filesystem::path& path, const std::atomic<bool>* cancel) {
  size_t bytes = 0;
  for (const auto& [key, entry] : weights.entries()) bytes += padded(entry.bytes);
  AtomicFile file(path, bytes);
  Json entries = Json::array();
  const std::vector<uint8_t> zeros(kAlignment);
  for (const auto& [key, entry] : weights.entries()) {
    entries.push_back(record_to_json({key, entry.type, file.written(), entry.bytes}));
    write_bytes(file, {entry.data, entry.bytes}, cancel);
    file.write(std::span(zeros).first(padded(entry.bytes) - entry.bytes));
  }
  file.commit();
  return {{"bytes", bytes}, {"digest", digest_of(MappedFile::open(path)->bytes(), cancel)}, {"entries", entries}};
}

std::shared_ptr<WeightSet> map_weight_file(const std::filesystem::path& path, const JsonReader& index, const std::atomic<bool>* cancel) {
  std::vector<Record> records = records_from(index);
  std::shared_ptr<MappedFile> file = MappedFile::open(path);
  if (digest_of(file->bytes(), cancel) != index.get<std::string>("digest"))
    throw Error(ErrorCode::invalid_model, path.string(), "its digest is not the one in artifact.json: it was changed or damaged");
  if (file->bytes().size() != index.get<size_t>("bytes")) index.fail("bytes is not the size of " + path.string());
  std::map<WeightKey, WeightSet::Entry> entries;
  for (Record& record : records)
    entries.emplace(std::move(record.key),
                    WeightSet::Entry{.type = record.type, .data = file->bytes().data() + record.offset, .bytes = record.bytes});
  return WeightSet::mapped(std::move(entries), std::move(file));
}

void check_weight_index(const JsonReader& index) {
  records_from(index);
}

}  // namespace hyalite
