#include <gtest/gtest.h>

#include "kernels/cpu/linear/linear_testing.h"
#include "kernels/cpu/linear/row_format.h"

namespace hyalite {
namespace {

void expect_exact(DType dtype, int64_t rows, int64_t columns) {
  const TestWeight weight(dtype, rows, columns, 5);
  const PackedLayout& layout = *packed_layout_of(dtype, "rows16");
  const FormatSpec& format = format_of(dtype);
  std::vector<float> expected(columns), got(columns);
  for (int64_t row = 0; row < rows; ++row) {
    format.decode(weight.plain().row(row), columns / format.block_elements, expected.data());
    layout.unpack_row(static_cast<const uint8_t*>(weight.packed().data), rows, columns, row, got.data());
    ASSERT_TRUE(equal_bits(got, expected)) << layout.kind << " " << rows << " x " << columns << ", row " << row;
  }
}

TEST(Packing, UnpacksToTheBitsOfTheFormat) {
  for (DType dtype : kLinearFormats)
    for (int64_t rows : {1, 15, 16, 17, 33})
      for (int64_t columns : {32, 33, 64, 80, 256, 576, 1152, 1536})
        if (columns % format_of(dtype).block_elements == 0) expect_exact(dtype, rows, columns);
}

TEST(Packing, TakesAtMostATwentiethMoreThanTheFile) {
  for (DType dtype : kLinearFormats) {
    const double packed = static_cast<double>(packed_layout_of(dtype, "rows16")->packed_bytes(512, 1536));
    EXPECT_LE(packed, 1.05 * 512 * static_cast<double>(row_bytes(dtype, 1536))) << format_of(dtype).name;
  }
}

TEST(Packing, NamesFollowTheFormat) {
  for (DType dtype : kLinearFormats) EXPECT_TRUE(packed_layout_of(dtype, "rows16")) << format_of(dtype).name;
  EXPECT_EQ(packed_layout_of(DType::q2_k, "rows16"), nullptr);
}

TEST(Packing, Bf16PairsHaveTheEvenColumnOnTop) {
  const TestWeight weight(DType::bf16, 2, 33, 1);
  const auto* words = static_cast<const uint32_t*>(weight.packed().data);
  for (int row = 0; row < 2; ++row) {
    const uint8_t* plain = weight.plain().row(row);
    for (int k = 0; k < 32; k += 2) {
      EXPECT_EQ(words[k / 2 * 16 + row], static_cast<uint32_t>(load_u16(plain + 2 * k)) << 16 | load_u16(plain + 2 * k + 2));
    }
    EXPECT_EQ(words[16 * 16 + row], static_cast<uint32_t>(load_u16(plain + 64)) << 16) << "a pair that lacks its second column";
  }
}

TEST(Packing, PaddingRowsAreZero) {
  const TestWeight weight(DType::q4_1, 3, 64, 1);
  const auto* bytes = static_cast<const uint8_t*>(weight.packed().data);
  for (int row = 3; row < 16; ++row) EXPECT_EQ(load_u16(bytes + 2 * row), 0);  // scale
}

}  // namespace
}  // namespace hyalite
