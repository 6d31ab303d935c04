// For the tests of linear kernels: weights with random content in any format, and ops run as the executor runs them.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "device/machine.h"
#include "kernels/cpu/linear/row_format.h"
#include "kernels/kernel_variant.h"
#include "tensor/half.h"

namespace hyalite {

inline constexpr DType kLinearFormats[] = {DType::f32,    DType::f16,   DType::bf16, DType::q4_0,     DType::q4_1,     DType::q5_0,
                                           DType::q5_1,   DType::q8_0,  DType::q4_k, DType::q5_k,     DType::q6_k,     DType::iq4_nl,
                                           DType::iq4_xs, DType::mxfp4, DType::int8, DType::int4_g32, DType::int4_g64, DType::int4_g128};

struct AlignedBytes {
  explicit AlignedBytes(size_t size) : storage(size + 64) {
    data = storage.data() + (64 - reinterpret_cast<uintptr_t>(storage.data()) % 64) % 64;
  }
  std::vector<uint8_t> storage;
  uint8_t* data;
};

inline std::vector<float> random_floats(size_t count, uint32_t seed, float size = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, size);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

// A matrix in its file format, and packed.
class TestWeight {
 public:
  TestWeight(DType dtype, int64_t rows, int64_t columns, uint32_t seed) : plain_(rows * row_bytes(dtype, columns)) {
    view_ = {plain_.data(), dtype, 2, {rows, columns}};
    if (format_of(dtype).is_quantized) {
      fill_blocks(seed);
    } else {
      fill_dense(random_floats(view_.elements(), seed, 0.05f));
    }
    const PackedLayout& layout = *packed_layout_of(dtype, "rows16");
    packed_ = std::make_shared<AlignedBytes>(layout.packed_bytes(rows, columns));
    for (int i = 0; i < 3; ++i) layout.pack(view_, 0, rows, packed_->data, {i, 3, 0});
  }
  const TensorView& plain() const { return view_; }
  TensorView packed() const {
    TensorView view = view_;
    view.data = packed_->data;
    return view;
  }
  ValueType type() const { return ValueType::of({view_.dtype, {Dim(view_.rows()), Dim(view_.columns())}}); }

 private:
  // Random codes; the scales of a block are made small and finite.
  void fill_blocks(uint32_t seed) {
    const FormatSpec& format = format_of(view_.dtype);
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> scale(0.002f, 0.02f);
    for (uint8_t& byte : plain_) byte = static_cast<uint8_t>(random());
    if (format.row_header_bytes) return fill_headers(random);
    for (size_t at = 0; at < plain_.size(); at += format.block_bytes) {
      if (view_.dtype == DType::mxfp4) {
        plain_[at] = static_cast<uint8_t>(117 + random() % 6);
        continue;
      }
      if (row_format_of(view_.dtype)->affine) plain_[at + 2] = static_cast<uint8_t>(random() % 16);
      const float shrink = format.block_elements == 256 ? 0.02f : 1;
      uint8_t* halves = plain_.data() + at + (view_.dtype == DType::q6_k ? 208 : 0);
      set_half(halves, scale(random) * shrink);
      if (row_format_of(view_.dtype)->has_min) set_half(halves + 2, scale(random) * shrink * (format.block_elements == 256 ? 1 : -8));
    }
  }
  // int8: a scale and a zero point a row.
  void fill_headers(std::mt19937& random) {
    for (int64_t row = 0; row < view_.rows(); ++row) {
      uint8_t* header = plain_.data() + row * row_bytes(view_.dtype, view_.columns());
      const float scale = std::uniform_real_distribution<float>(0.0005f, 0.002f)(random);
      std::memcpy(header, &scale, 4);
    }
  }
  void fill_dense(const std::vector<float>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (view_.dtype == DType::f32) std::memcpy(&plain_[i * 4], &values[i], 4);
      if (view_.dtype == DType::f16) set_half(&plain_[i * 2], values[i]);
      const uint16_t bits = float_to_bf16(values[i]);
      if (view_.dtype == DType::bf16) std::memcpy(&plain_[i * 2], &bits, 2);
    }
  }
  static void set_half(uint8_t* at, float value) {
    const uint16_t bits = float_to_half(value);
    std::memcpy(at, &bits, 2);
  }

  std::vector<uint8_t> plain_;
  TensorView view_;
  std::shared_ptr<AlignedBytes> packed_;
};

// One op on concrete inputs: runs a variant with any number of threads, one after the other within a phase.
struct TestOp {
  std::string op;
  Attrs attrs;
  std::vector<ValueType> types;
  std::vector<TensorView> packed, plain;  // inputs for kernels, and for the reference
  std::vector<int64_t> output_columns;
  int64_t tokens = 0;
  const BatchView* batch = nullptr;
  std::vector<std::vector<float>> owned;

  void add_vector(std::vector<float> values) {
    owned.push_back(std::move(values));
    const auto n = static_cast<int64_t>(owned.back().size());
    add(ValueType::of({DType::f32, {Dim(n)}}), {owned.back().data(), DType::f32, 1, {n}});
  }
  void add_matrix(std::vector<float> values, int64_t columns) {
    owned.push_back(std::move(values));
    add(ValueType::of({DType::f32, {Dim::tokens(), Dim(columns)}}), {owned.back().data(), DType::f32, 2, {tokens, columns}});
  }
  void add_weight(const TestWeight& weight) {
    add(weight.type(), weight.packed());
    plain.back() = weight.plain();
  }
  void add_absent() { add({}, {}); }
  void add(ValueType type, TensorView view) { types.push_back(std::move(type)), packed.push_back(view), plain.push_back(view); }

  Problem problem() const { return {types, {}, &attrs, {.tokens = tokens, .sequences = 1, .logits_rows = tokens}, nullptr}; }

  // All outputs, one after the other.
  std::vector<float> run(const KernelVariant& variant, int threads) const {
    int64_t total = 0;
    for (int64_t columns : output_columns) total += tokens * columns;
    std::vector<float> result(total, NAN);
    std::vector<TensorView> outputs;
    for (int64_t at = 0; int64_t columns : output_columns) {
      outputs.push_back({result.data() + at, DType::f32, 2, {tokens, columns}});
      at += tokens * columns;
    }
    alignas(16) uint8_t params[kMaxParamBytes] = {};
    const OpSpec& spec = *find_op(op);
    if (spec.bind) spec.bind(attrs, params);
    const size_t scratch = variant.workspace ? variant.workspace(problem()) : 0;
    AlignedBytes workspace(scratch + 64);
    std::memset(workspace.data, 0xff, scratch + 64);  // NaN where a phase forgets to write
    const OpArgs args{variant.layout.empty() ? plain.data() : packed.data(), outputs.data(), params, batch, nullptr, workspace.data};
    for (int phase = 0; phase < variant.phases; ++phase)
      for (int i = threads; i-- > 0;) variant.run(args, {i, threads, phase});
    for (size_t i = scratch; i < scratch + 64; ++i) {
      if (workspace.data[i] != 0xff) throw std::runtime_error(std::string(variant.name) + " wrote beyond its workspace");
    }
    return result;
  }
};

// Variants of `op` that this machine can run, that accept `test` and treat each row alike, the preferred one first.
inline std::vector<const KernelVariant*> accepting_variants(const TestOp& test) {
  static const uint32_t features = detect_machine().features;
  std::vector<const KernelVariant*> found;
  for (const KernelVariant* variant : cpu_variants())
    if (variant->op == test.op && !variant->depends_on_rows && lacks(*variant, features).empty() &&
        variant->refuses(test.problem()).empty())
      found.push_back(variant);
  return found;
}

inline bool equal_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Largest difference over a tensor relative to the root mean square of what is expected.
inline double relative_error(const float* got, const float* expected, int64_t count) {
  double squares = 0, worst = 0;
  for (int64_t i = 0; i < count; ++i) {
    squares += static_cast<double>(expected[i]) * expected[i];
    const double error = std::abs(static_cast<double>(got[i]) - expected[i]);
    worst = error <= worst ? worst : error;  // NaN wins
  }
  return worst / std::sqrt(squares / static_cast<double>(count));
}

// The largest of those over the outputs of `test`.
inline double relative_error(const TestOp& test, const std::vector<float>& got, const std::vector<float>& expected) {
  double worst = 0;
  for (int64_t at = 0; int64_t columns : test.output_columns) {
    const double error = relative_error(got.data() + at, expected.data() + at, test.tokens * columns);
    worst = error <= worst ? worst : error;
    at += test.tokens * columns;
  }
  return worst;
}

}  // namespace hyalite
