// What type rules have in common: reading the operand types of a Problem, with errors that name the operand and say what was expected.
// Every function throws Error{invalid_model} with the operand as its place; whoever called infer() adds the node.
#pragma once

#include <string>

#include "ops/op_spec.h"

namespace hyalite {

inline constexpr auto kTensor = ValueType::Kind::tensor;
inline constexpr auto kBatch = ValueType::Kind::batch;
inline constexpr auto kCache = ValueType::Kind::cache;

// Any type that may stand in a text: rank at most kMaxRank, dims positive, whole blocks, size below 2^62 bytes.
void check_type(const ValueType& type, const std::string& where);

bool given(const Problem& problem, size_t index);  // false for an absent optional

// The tensor type of operand `index`, called `name` in messages.
const TensorType& tensor_of(const Problem& problem, size_t index, const char* name);
// An f32 matrix [rows, constant columns].
const TensorType& activation_of(const Problem& problem, size_t index, const char* name);
// The same with a row for each token of the step: what an op that goes by the batch's positions must be given.
const TensorType& token_rows_of(const Problem& problem, size_t index, const char* name);
// A vector of `length` constants in any format that decodes to numbers.
void expect_vector(const Problem& problem, size_t index, const char* name, int64_t length);
// A matrix [outputs, inputs] of constants with `columns` inputs; returns its outputs.
int64_t weight_rows(const Problem& problem, size_t index, const char* name, int64_t columns);

int64_t columns_of(const TensorType& type);
TensorType f32_matrix(Dim rows, int64_t columns);
void expect(bool fits, const char* name, const std::string& message);
int64_t positive_attr(const Problem& problem, const char* name);  // an integer attribute in 1..2^31-1
void check_layer(const Problem& problem);                         // attribute `layer` is in 0..2^20-1
void check_choice(const std::string& value, const char* name, std::initializer_list<const char*> choices);

// Attributes that every linear op accepts: how activations may be rounded, and what passes tell the planner.
#define HYALITE_LINEAR_ATTRS        \
  {"activations", "text", false}, { \
    "hint", "text", false           \
  }
// infer() of linear ops calls this to hold `activations` to "f32", "q8" or "bf16".
void check_linear_attrs(const Problem& problem);

// Bytes of a linear op's operands and results, and 2 flops for each weight element and row of x. `weights` are operand indices.
Cost linear_cost(const Problem& problem, std::initializer_list<size_t> weights);

}  // namespace hyalite
