// A problem with numbers: one op, its operands' bytes, and where it needs them a batch and a cache. Made by makers.cpp from fixed seeds.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op_spec.h"

namespace hyalite::conformance {

// Owns what a BatchView points at.
struct Batch {
  std::vector<int32_t> positions, sequence_of, logits_rows;
  std::vector<std::vector<int32_t>> pages;  // by sequence

  // `tables` is filled and must outlive the view.
  BatchView view(std::vector<PageTable>& tables) const;
};

struct Case {
  std::string label;  // for messages
  std::string op;
  Attrs attrs;
  std::vector<ValueType> operands;           // unknown kind for an absent optional
  std::vector<std::vector<uint8_t>> inputs;  // bytes of each tensor operand, as in a file
  Symbols symbols;
  std::optional<Batch> batch;
  std::optional<CacheSpec> cache;
  std::vector<uint8_t> cache_bytes;  // before the step

  std::vector<ValueType> results() const;  // from the op's type rule
  // The problem as the planner sees it; points into the case and into `types`, which receives results().
  Problem problem(std::vector<ValueType>& types) const;
  int64_t page_bytes() const;
  std::vector<float> cache_values(std::vector<uint8_t> bytes) const;  // of a cache with these bytes, written or not
  int64_t max_positions() const;
};

// One sequence of a step: `history` positions lie in the cache before it, `tokens` are new.
struct Run {
  int32_t history, tokens;
};

// Builds a case operand by operand, in the op's order.
class CaseBuilder {
 public:
  CaseBuilder(std::string_view op, std::string label, uint32_t seed);

  CaseBuilder& attr(std::string_view name, AttrValue value);
  CaseBuilder& tokens(int64_t count);                                            // for ops without a batch
  CaseBuilder& batch(const std::vector<Run>& runs, const CacheSpec& spec = {});  // sets tokens; the spec decides how many pages
  CaseBuilder& cache(const CacheSpec& spec, bool filled);                        // unwritten positions hold NaN; REQUIRES: batch() before
  CaseBuilder& activations(int64_t columns, float size = 1);                     // f32 [T, columns]
  CaseBuilder& vector(int64_t n, float size = 1, float middle = 0);              // f32 [n]
  CaseBuilder& rates(int64_t pairs);                                             // rope frequencies, f32 [pairs]
  CaseBuilder& weight(DType dtype, int64_t rows, int64_t columns);
  CaseBuilder& ids(int32_t below);  // i32 [T]
  CaseBuilder& absent();
  CaseBuilder& batch_operand();
  CaseBuilder& cache_operand();
  Case done() { return std::move(case_); }

 private:
  void add(TensorType type, std::vector<uint8_t> bytes);
  std::vector<float> normal(int64_t n, float size, float middle = 0);
  void fill_cache();

  Case case_;
  std::vector<Run> runs_;
  std::mt19937 random_;
};

// Every case of an op, made once; empty where the op has no maker.
const std::vector<Case>& cases_of(std::string_view op);

}  // namespace hyalite::conformance
