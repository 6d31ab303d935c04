#include "importers/stored_tensor.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/error.h"

namespace hyalite {

std::vector<const StoredTensor*> by_offset(const std::vector<StoredTensor>& tensors) {
  std::vector<const StoredTensor*> sorted;
  for (const StoredTensor& tensor : tensors)
    if (tensor.bytes) sorted.push_back(&tensor);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->offset < b->offset; });
  return sorted;
}

void check_distinct(const std::vector<StoredTensor>& tensors, const std::string& file) {
  std::unordered_set<std::string_view> names;
  for (const StoredTensor& tensor : tensors)
    if (!names.insert(tensor.name).second) throw Error(ErrorCode::invalid_model, file + ": tensor " + tensor.name, "duplicate tensor name");
  const std::vector<const StoredTensor*> sorted = by_offset(tensors);
  for (size_t i = 1; i < sorted.size(); ++i) {
    const StoredTensor &before = *sorted[i - 1], &tensor = *sorted[i];
    if (before.offset + before.bytes > tensor.offset)
      throw Error(ErrorCode::invalid_model, file + ": tensor " + tensor.name,
                  "overlaps tensor " + before.name + " at offset " + std::to_string(tensor.offset));
  }
}

std::optional<uint64_t> dense_bytes(DType dtype, const std::vector<int64_t>& dims) {
  int64_t bytes = format_of(dtype).block_bytes;
  for (int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(bytes, dim, &bytes)) return std::nullopt;
  return bytes > int64_t{1} << 62 ? std::nullopt : std::optional(static_cast<uint64_t>(bytes));
}

}  // namespace hyalite
