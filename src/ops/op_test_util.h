// Runs one op on concrete tensors, by the road that every caller takes: infer, bind, evaluate. Test code only.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "ops/op_spec.h"
#include "tensor/encode.h"

namespace hyalite {

// An operand: a typed tensor with bytes, a batch, a cache, or absent.
struct Operand {
  ValueType type;
  std::vector<uint8_t> bytes;
};

inline Operand absent() {
  return {};
}
inline Operand state(ValueType type) {
  return {std::move(type), {}};
}
inline Operand encoded(DType dtype, const std::vector<int64_t>& dims, const std::vector<float>& values) {
  TensorType type{dtype, {}};
  for (int64_t dim : dims) type.dims.emplace_back(dim);
  std::vector<uint8_t> bytes(bytes_of(type, {}));
  encode(dtype, values.data(), static_cast<int64_t>(values.size()), bytes.data());
  return {ValueType::of(type), bytes};
}
inline Operand floats(const std::vector<int64_t>& dims, const std::vector<float>& values) {
  return encoded(DType::f32, dims, values);
}
inline Operand integers(const std::vector<int32_t>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {ValueType::of({DType::i32, {Dim(static_cast<int64_t>(values.size()))}}), bytes};
}

struct OpRun {
  std::vector<ValueType> types;
  std::vector<std::vector<float>> results;  // f32 results only
};

// Results of the op, its work split over `threads` turns. `symbols` binds the results' symbolic dims.
inline OpRun run_op(std::string_view name, std::vector<Operand> operands, const Attrs& attrs = {}, const BatchView* batch = nullptr,
                    const CacheView* cache = nullptr, int threads = 1) {
  const OpSpec& op = *find_op(name);
  const Symbols symbols = batch ? Symbols{batch->tokens, batch->sequences, batch->logits_rows} : Symbols{};
  std::vector<ValueType> types;
  std::vector<TensorView> inputs, outputs;
  for (Operand& operand : operands) {
    types.push_back(operand.type);
    // In a step, the rows of an activation are its tokens.
    TensorType& type = types.back().tensor;
    if (batch && type.rank() == 2 && type.dims[0] == Dim(batch->tokens)) type.dims[0] = Dim::tokens();
    inputs.push_back(operand.bytes.empty() ? TensorView{} : view_of(operand.type.tensor, operand.bytes.data()));
  }
  OpRun run{op.infer({.operands = types, .attrs = &attrs}), {}};
  for (const ValueType& type : run.types) {
    const bool tensor = type.kind == ValueType::Kind::tensor;
    run.results.emplace_back(tensor ? bytes_of(type.tensor, symbols) / sizeof(float) : 0, -12345.0f);
    outputs.push_back(tensor ? view_of(type.tensor, run.results.back().data(), symbols) : TensorView{});
  }
  alignas(16) std::byte params[kMaxParamBytes];
  if (op.bind) op.bind(attrs, params);
  const OpArgs args{.inputs = inputs.data(), .outputs = outputs.data(), .params = params, .batch = batch, .cache = cache};
  for (int thread = 0; thread < threads; ++thread) op.evaluate(args, {thread, threads});
  return run;
}

inline std::string infer_error(std::string_view name, const std::vector<ValueType>& types, const Attrs& attrs = {}) {
  try {
    find_op(name)->infer({.operands = types, .attrs = &attrs});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    return error.what();
  }
  return "no error";
}

inline ValueType f32(std::vector<Dim> dims) {
  return ValueType::of({DType::f32, std::move(dims)});
}

inline void expect_near(const std::vector<float>& actual, const std::vector<float>& expected, float tolerance = 1e-6f) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
}

}  // namespace hyalite
