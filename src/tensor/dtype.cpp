#include "tensor/dtype.h"

#include <string>

#include "base/error.h"

namespace hyalite {

#define FORMAT(name) extern const FormatSpec format_##name;
#include "tensor/formats.inc"
#undef FORMAT

namespace {
const FormatSpec* const kFormats[] = {
#define FORMAT(name) &format_##name,
#include "tensor/formats.inc"
#undef FORMAT
};
}  // namespace

const FormatSpec& format_of(DType dtype) {
  return *kFormats[static_cast<int>(dtype)];
}

std::optional<DType> dtype_named(std::string_view name) {
  for (const FormatSpec* format : kFormats)
    if (format->name == name) return format->dtype;
  return std::nullopt;
}

size_t row_bytes(DType dtype, int64_t elements) {
  const FormatSpec& format = format_of(dtype);
  HYALITE_CHECK(elements >= 0 && elements % format.block_elements == 0, std::string(format.name) + " row of " + std::to_string(elements));
  return static_cast<size_t>(format.row_header_bytes) + static_cast<size_t>(elements / format.block_elements) * format.block_bytes;
}

}  // namespace hyalite
