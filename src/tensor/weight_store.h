// The named tensors of a model as importers leave them: canonical name -> type, bytes, where they came from. The bytes stay in the
// mapped source files, or in buffers the store owns where an importer had to convert.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "tensor/tensor.h"

namespace hyalite {

// Where a tensor came from, for errors, provenance comments and reports.
struct TensorSource {
  std::string file;    // as given by the user
  std::string tensor;  // the name inside the file
};

// Filled by one thread, then read-only: any thread may read. Views stay valid as long as the store lives.
class WeightStore {
 public:
  struct Entry {
    TensorType type;  // constant dims only
    TensorSource source;
    const uint8_t* data = nullptr;
    std::shared_ptr<MappedFile> file;             // set where data lies in a mapped file
    std::shared_ptr<std::vector<uint8_t>> owned;  // set where the importer made the bytes
  };

  // Adds a tensor whose bytes lie at `offset` of `file`. The caller has checked the range. Throws Error{invalid_model} for a duplicate
  // name.
  void add_mapped(std::string name, TensorType type, TensorSource source, std::shared_ptr<MappedFile> file, size_t offset);
  void add_owned(std::string name, TensorType type, TensorSource source, std::vector<uint8_t> bytes);
  void add_shared(std::string name, const Entry& entry);  // of another store, whose bytes both then hold

  const Entry* find(std::string_view name) const;  // nullptr where there is none
  const Entry& at(std::string_view name) const;    // throws Error{invalid_model} naming it
  TensorView view(std::string_view name) const;
  const std::map<std::string, Entry, std::less<>>& entries() const { return entries_; }

  // `size` bytes of `name` from `offset` on are not needed again soon: their file pages leave the resident set (reading again stays right).
  void release(std::string_view name, size_t offset, size_t size) const;

 private:
  void insert(std::string name, Entry&& entry);
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace hyalite
