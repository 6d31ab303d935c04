#include "tensor/tensor.h"

#include "base/error.h"

namespace hyalite {

Dim Dim::symbol(char name) {
  HYALITE_CHECK(name == 'T' || name == 'B' || name == 'L', std::string("unknown symbol ") + name);
  Dim dim;
  dim.symbol_ = name;
  return dim;
}

int64_t Dim::bind(const Symbols& symbols) const {
  switch (symbol_) {
    case 'T': return symbols.tokens;
    case 'B': return symbols.sequences;
    case 'L': return symbols.logits_rows;
    default: return value_;
  }
}

std::string to_string(const TensorType& type) {
  std::string text = "tensor<";
  for (const Dim& dim : type.dims) text += (dim.is_symbol() ? std::string(1, dim.name()) : std::to_string(dim.value())) + " x ";
  return text + std::string(format_of(type.dtype).name) + ">";
}

int64_t bytes_of(const TensorType& type, const Symbols& symbols) {
  const FormatSpec& format = format_of(type.dtype);
  int64_t bytes = format.block_bytes;
  for (int i = type.rank(); i-- > 0;) {
    const bool last = i + 1 == type.rank();
    int64_t n = type.dims[i].bind(symbols);
    if (last) n = (n + format.block_elements - 1) / format.block_elements;
    if (__builtin_mul_overflow(bytes, n, &bytes) || bytes < 0 || bytes > (int64_t{1} << 62))
      throw Error(ErrorCode::invalid_model, to_string(type), "size overflows");
    if (last) bytes += format.row_header_bytes;
  }
  return bytes;
}

int64_t TensorView::rows() const {
  int64_t rows = 1;
  for (int i = 0; i + 1 < rank; ++i) rows *= dims[i];
  return rows;
}

TensorView view_of(const TensorType& type, void* data, const Symbols& symbols) {
  HYALITE_CHECK(type.rank() <= kMaxRank, to_string(type));
  TensorView view{data, type.dtype, type.rank(), {}};
  for (int i = 0; i < type.rank(); ++i) view.dims[i] = type.dims[i].bind(symbols);
  return view;
}

}  // namespace hyalite
