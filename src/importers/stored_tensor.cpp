#include "importers/stored_tensor.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/error.h"

namespace hyalite {

void check_distinct(const std::vector<StoredTensor>& tensors, const std::string& file) {
  std::unordered_set<std::string_view> names;
  std::vector<const StoredTensor*> by_offset;
  for (const StoredTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) throw Error(ErrorCode::invalid_model, file + ": tensor " + tensor.name, "duplicate tensor name");
    if (tensor.bytes) by_offset.push_back(&tensor);
  }
  std::sort(by_offset.begin(), by_offset.end(), [](auto* a, auto* b) { return a->offset < b->offset; });
  for (size_t i = 1; i < by_offset.size(); ++i) {
    const StoredTensor &before = *by_offset[i - 1], &tensor = *by_offset[i];
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
