// Everything the compiler knows about an op: one constant row each, declared in ops.inc, defined in ops/<op>.cpp.
// The reference evaluation is folding rule, oracle of every kernel, and fallback kernel in one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/attributes.h"
#include "ops/batch.h"
#include "tensor/tensor.h"

namespace hyalite {

// Type of a value in a graph. `unknown` is what a builder leaves for shape inference; it prints as `?`.
struct ValueType {
  enum class Kind : uint8_t { unknown, tensor, batch, cache };
  Kind kind = Kind::unknown;
  TensorType tensor;  // kind == tensor

  static ValueType unknown() { return {}; }
  static ValueType of(TensorType type) { return {Kind::tensor, std::move(type)}; }
  static ValueType batch() { return {Kind::batch, {}}; }
  static ValueType cache() { return {Kind::cache, {}}; }
  bool operator==(const ValueType&) const = default;
};

// What execution gives an op, reference evaluation and kernel alike. Pointers are valid during the call.
struct OpArgs {
  const TensorView* inputs = nullptr;   // one per operand in order; data == nullptr for an absent optional, a batch or a cache operand
  const TensorView* outputs = nullptr;  // one per result; likewise
  const void* params = nullptr;         // the op's parameter struct, made by OpSpec::bind
  const BatchView* batch = nullptr;     // set where the op has a batch operand
  const CacheView* cache = nullptr;     // the layer named by attribute `layer`, where the op has a cache operand
  uint8_t* workspace = nullptr;         // shared by all threads of the step; size from the variant's workspace()
};

// This thread's share: thread `index` of `count`. Phases of one step run one after the other with a barrier between.
struct WorkRange {
  int index = 0, count = 1, phase = 0;

  // Splits [0, n) into `count` contiguous parts of whole `grain`s; returns this thread's.
  int64_t begin(int64_t n, int64_t grain = 1) const { return edge(n, grain, index); }
  int64_t end(int64_t n, int64_t grain = 1) const { return edge(n, grain, index + 1); }

 private:
  int64_t edge(int64_t n, int64_t grain, int64_t i) const {
    int64_t at = (n + grain - 1) / grain * i / count * grain;
    return at < n ? at : n;
  }
};

// An op with concrete types: what infer, cost, kernels' accepts() and the planner look at.
struct Problem {
  std::span<const ValueType> operands;  // unknown kind for an absent optional
  std::span<const ValueType> results;
  const Attrs* attrs = nullptr;
  Symbols symbols;                   // the step size that cost is asked for; for buffers, the largest step
  const CacheSpec* cache = nullptr;  // of the layer, where the op has a cache operand
  int64_t cached = 0;                // positions of each sequence that are in the cache before the step, for cost
  int64_t max_positions = 0;         // longest sequence a step may see: bounds an attention variant's workspace
};

struct Cost {
  double flops = 0;
  double bytes = 0;  // read and written once, weights in their file format
};

struct OperandSpec {
  const char* name;
  ValueType::Kind kind;
  bool optional = false;
};

struct AttrSpec {
  const char* name;
  const char* type;  // "int", "real", "bool", "text", "reals"
  bool required;
};

inline constexpr size_t kMaxParamBytes = 128;

struct OpSpec {
  std::string_view name;
  std::string_view summary;  // one sentence with the equation
  std::span<const OperandSpec> operands;
  std::span<const OperandSpec> results;
  std::span<const AttrSpec> attrs;
  // Result types from operand types and attributes. Throws Error{invalid_model} where they do not fit (the caller adds the node's place).
  // Null for ops whose result type is written, not computed (weight, constant).
  std::vector<ValueType> (*infer)(const Problem& problem) = nullptr;
  Cost (*cost)(const Problem& problem) = nullptr;            // null: no flops, bytes of operands and results
  void (*bind)(const Attrs& attrs, void* params) = nullptr;  // fills the POD parameter struct (at most kMaxParamBytes); null: none
  // fp32, scalar, simple; splits over `range` by rows where that is easy (others do all work on thread 0). Null: weight, constant.
  void (*evaluate)(const OpArgs& args, WorkRange range) = nullptr;
  bool foldable = false;  // no state, small: constant folding may evaluate it
};

const OpSpec* find_op(std::string_view name);  // nullptr where there is none
std::span<const OpSpec* const> all_ops();

// op.cost, or the default: no flops, every operand and result once.
Cost cost_of(const OpSpec& op, const Problem& problem);

}  // namespace hyalite
