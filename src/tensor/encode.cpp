#include "tensor/encode.h"

#include <string>

#include "base/error.h"
#include "tensor/formats/encoder.h"

namespace hyalite {
namespace {

struct Row {
  const Encoder* encoder;
  DType smaller;
};
const Row kRows[] = {
#define ENCODER(name, smaller) {&encoder_##name, DType::smaller},
#include "tensor/encoders.inc"
#undef ENCODER
};

const Row* find_row(DType dtype) {
  for (const Row& row : kRows)
    if (row.encoder->dtype == dtype) return &row;
  return nullptr;
}

const Encoder& encoder_of(DType dtype, int64_t elements) {
  const Row* row = find_row(dtype);
  HYALITE_CHECK(row && elements % format_of(dtype).block_elements == 0, std::string(format_of(dtype).name));
  return *row->encoder;
}

}  // namespace

bool can_encode(DType dtype) {
  return find_row(dtype) != nullptr;
}

DType smaller_blocks(DType dtype) {
  const Row* row = find_row(dtype);
  HYALITE_CHECK(row, std::string(format_of(dtype).name));
  return row->smaller;
}

void encode(DType dtype, const float* values, int64_t elements, uint8_t* out) {
  const Encoder& encoder = encoder_of(dtype, elements);
  encoder.nearest(values, elements / format_of(dtype).block_elements, out);
}

void encode_weighted(DType dtype, const float* values, const float* weights, int64_t elements, uint8_t* out) {
  const Encoder& encoder = encoder_of(dtype, elements);
  encoder.search(values, weights, elements / format_of(dtype).block_elements, out);
}

}  // namespace hyalite
