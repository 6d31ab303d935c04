#include "tensor/weight_store.h"

#include "base/error.h"

namespace hyalite {

void WeightStore::insert(std::string name, Entry&& entry) {
  std::string where = entry.source.file + ": tensor " + entry.source.tensor;
  if (!entries_.try_emplace(std::move(name), std::move(entry)).second) throw Error(ErrorCode::invalid_model, where, "duplicate tensor");
}

void WeightStore::add_mapped(std::string name, TensorType type, TensorSource source, std::shared_ptr<MappedFile> file, size_t offset) {
  const uint8_t* data = file->bytes().data() + offset;
  insert(std::move(name), Entry{std::move(type), std::move(source), data, std::move(file), nullptr});
}

void WeightStore::add_owned(std::string name, TensorType type, TensorSource source, std::vector<uint8_t> bytes) {
  auto owned = std::make_shared<std::vector<uint8_t>>(std::move(bytes));
  const uint8_t* data = owned->data();
  insert(std::move(name), Entry{std::move(type), std::move(source), data, nullptr, std::move(owned)});
}

void WeightStore::add_shared(std::string name, const Entry& entry) {
  insert(std::move(name), Entry(entry));
}

const WeightStore::Entry* WeightStore::find(std::string_view name) const {
  auto it = entries_.find(name);
  return it == entries_.end() ? nullptr : &it->second;
}

const WeightStore::Entry& WeightStore::at(std::string_view name) const {
  const Entry* entry = find(name);
  if (!entry) throw Error(ErrorCode::invalid_model, std::string(name), "no such weight");
  return *entry;
}

TensorView WeightStore::view(std::string_view name) const {
  const Entry& entry = at(name);
  return view_of(entry.type, const_cast<uint8_t*>(entry.data));
}

void WeightStore::release(std::string_view name, size_t offset, size_t size) const {
  const Entry& entry = at(name);
  if (entry.file) entry.file->release(entry.data - entry.file->bytes().data() + offset, size);
}

}  // namespace hyalite
