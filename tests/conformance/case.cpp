#include "case.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "base/error.h"
#include "ops/paged_cache.h"
#include "tensor/affine.h"
#include "tensor/encode.h"

namespace hyalite::conformance {
namespace {

std::vector<uint8_t> bytes_from(const void* data, size_t bytes) {
  const auto* at = static_cast<const uint8_t*>(data);
  return {at, at + bytes};
}

// Like a block of a real weight: values about as large as those of other blocks, and about as many above zero as below. Otherwise an
// offset common to 32 values would meet an input whose sum is small by chance, and any error would look large beside the result.
bool looks_like_a_weight(const std::vector<float>& values) {
  float largest = 0, sum = 0, squares = 0;
  for (const float value : values) {
    largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : INFINITY;
    sum += value;
    squares += value * value;
  }
  const auto n = static_cast<float>(values.size());
  return largest > 0.5f && largest < 2 && std::abs(sum / n) < 0.25f * std::sqrt(squares / n);
}

std::vector<uint8_t> random_block(const FormatSpec& format, std::mt19937& random) {
  std::vector<uint8_t> block(static_cast<size_t>(format.block_bytes));
  std::vector<float> values(static_cast<size_t>(format.block_elements));
  for (int attempt = 0; attempt < 10'000'000; ++attempt) {
    for (size_t i = 0; i < block.size(); i += 4) {
      const auto bits = static_cast<uint32_t>(random());
      std::memcpy(block.data() + i, &bits, std::min<size_t>(4, block.size() - i));
    }
    format.decode(block.data(), 1, values.data());
    if (looks_like_a_weight(values)) return block;
  }
  HYALITE_CHECK(false, "no ordinary block of " + std::string(format.name));
  return block;
}

// Few random bits make such a block, so weights are put together from a stock of them.
const std::vector<std::vector<uint8_t>>& block_stock(const FormatSpec& format) {
  constexpr int size = 40;
  static std::map<DType, std::vector<std::vector<uint8_t>>> stocks;
  auto& stock = stocks[format.dtype];
  std::mt19937 random(static_cast<uint32_t>(format.dtype));
  while (stock.size() < size) stock.push_back(random_block(format, random));
  return stock;
}

// A full-attention group has a page for each position block; a sliding window reuses a ring that holds the window and the step.
int64_t page_count(const CacheSpec& spec, const Run& run) {
  const int64_t all = (run.history + run.tokens + kPageTokens - 1) / kPageTokens;
  if (spec.kind == CacheSpec::Kind::paged) return all;
  return std::min<int64_t>(all, (spec.window + run.tokens) / kPageTokens + 2);
}

}  // namespace

BatchView Batch::view(std::vector<PageTable>& tables) const {
  tables.clear();
  for (const auto& list : pages) tables.push_back({list.data(), static_cast<int32_t>(list.size())});
  return {.tokens = static_cast<int32_t>(positions.size()),
          .sequences = static_cast<int32_t>(pages.size()),
          .logits_rows = static_cast<int32_t>(logits_rows.size()),
          .cache_groups = 1,
          .positions = positions.data(),
          .sequence_of = sequence_of.data(),
          .logits_row = logits_rows.data(),
          .tables = tables.data()};
}

std::vector<ValueType> Case::results() const {
  Problem problem{.operands = operands, .results = {}, .attrs = &attrs, .symbols = symbols, .cache = cache ? &*cache : nullptr};
  return find_op(op)->infer(problem);
}

Problem Case::problem(std::vector<ValueType>& types) const {
  types = results();
  return {.operands = operands,
          .results = types,
          .attrs = &attrs,
          .symbols = symbols,
          .cache = cache ? &*cache : nullptr,
          .max_positions = max_positions()};
}

int64_t Case::page_bytes() const {
  return page_bytes_of(*cache);
}

std::vector<float> Case::cache_values(std::vector<uint8_t> bytes) const {
  std::vector<int32_t> pages(bytes.size() / static_cast<size_t>(page_bytes()));
  std::iota(pages.begin(), pages.end(), 0);
  const PageTable table{pages.data(), static_cast<int32_t>(pages.size())};
  const BatchView all{.sequences = 1, .cache_groups = 1, .tables = &table};
  std::vector<float> values;
  for (const int32_t page : pages)
    for (int32_t head = 0; head < cache->kv_heads; ++head) {
      const HeadPage decoded(all, {bytes.data(), page_bytes(), 0, *cache}, 0, int64_t{page} * kPageTokens, head);
      values.insert(values.end(), decoded.values().begin(), decoded.values().end());
    }
  return values;
}

int64_t Case::max_positions() const {
  int64_t most = 0;
  if (batch) {
    for (const int32_t position : batch->positions) most = std::max<int64_t>(most, position + 1);
  }
  return most;
}

CaseBuilder::CaseBuilder(std::string_view op, std::string label, uint32_t seed) : random_(seed) {
  case_.op = op;
  case_.label = std::move(label);
}

CaseBuilder& CaseBuilder::attr(std::string_view name, AttrValue value) {
  case_.attrs.set(name, std::move(value));
  return *this;
}

CaseBuilder& CaseBuilder::tokens(int64_t count) {
  case_.symbols.tokens = count;
  return *this;
}

CaseBuilder& CaseBuilder::batch(const std::vector<Run>& runs, const CacheSpec& spec) {
  runs_ = runs;
  Batch batch;
  for (size_t s = 0; s < runs.size(); ++s) {
    for (int32_t i = 0; i < runs[s].tokens; ++i) {
      batch.positions.push_back(runs[s].history + i);
      batch.sequence_of.push_back(static_cast<int32_t>(s));
    }
    batch.logits_rows.push_back(static_cast<int32_t>(batch.positions.size()) - 1);
  }
  // Pages in no order, as a pool hands them out after a while.
  int64_t total = 0;
  for (const Run& run : runs) total += page_count(spec, run);
  std::vector<int32_t> free(static_cast<size_t>(total));
  std::iota(free.begin(), free.end(), 0);
  std::shuffle(free.begin(), free.end(), random_);
  for (const Run& run : runs) {
    const auto count = static_cast<size_t>(page_count(spec, run));
    batch.pages.emplace_back(free.end() - static_cast<ptrdiff_t>(count), free.end());
    free.resize(free.size() - count);
  }
  case_.symbols = {.tokens = static_cast<int64_t>(batch.positions.size()),
                   .sequences = static_cast<int64_t>(runs.size()),
                   .logits_rows = static_cast<int64_t>(batch.logits_rows.size())};
  case_.batch = std::move(batch);
  return *this;
}

CaseBuilder& CaseBuilder::cache(const CacheSpec& spec, bool filled) {
  case_.cache = spec;
  size_t pages = 0;
  for (const auto& list : case_.batch->pages) pages += list.size();
  case_.cache_bytes.assign(pages * static_cast<size_t>(case_.page_bytes()), 0xff);  // a NaN in every format
  if (filled) fill_cache();
  return *this;
}

// Keys and values of every position up to the end of the step, in order, so that a ring keeps the latest.
void CaseBuilder::fill_cache() {
  const CacheSpec& spec = *case_.cache;
  const CacheView cache{case_.cache_bytes.data(), case_.page_bytes(), 0, spec};
  std::vector<PageTable> tables;
  BatchView one = case_.batch->view(tables);
  one.tokens = 1;
  for (size_t s = 0; s < runs_.size(); ++s) {
    const auto sequence = static_cast<int32_t>(s);
    for (int32_t position = 0; position < runs_[s].history + runs_[s].tokens; ++position) {
      one.positions = &position, one.sequence_of = &sequence;
      const std::vector<float> k = normal(int64_t{spec.kv_heads} * spec.head_dim, 1), v = normal(int64_t{spec.kv_heads} * spec.head_dim, 1);
      for (int32_t head = 0; head < spec.kv_heads; ++head) append_head(one, cache, k.data(), v.data(), head);
    }
  }
}

CaseBuilder& CaseBuilder::activations(int64_t columns, float size) {
  const auto values = normal(case_.symbols.tokens * columns, size);
  add({DType::f32, {Dim::tokens(), Dim(columns)}}, bytes_from(values.data(), values.size() * sizeof(float)));
  return *this;
}

CaseBuilder& CaseBuilder::vector(int64_t n, float size, float middle) {
  const auto values = normal(n, size, middle);
  add({DType::f32, {Dim(n)}}, bytes_from(values.data(), values.size() * sizeof(float)));
  return *this;
}

CaseBuilder& CaseBuilder::rates(int64_t pairs) {
  std::vector<float> values;
  for (int64_t i = 0; i < pairs; ++i) {
    values.push_back(static_cast<float>(std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(pairs))));
  }
  add({DType::f32, {Dim(pairs)}}, bytes_from(values.data(), values.size() * sizeof(float)));
  return *this;
}

CaseBuilder& CaseBuilder::weight(DType dtype, int64_t rows, int64_t columns) {
  const FormatSpec& format = format_of(dtype);
  std::vector<uint8_t> bytes(static_cast<size_t>(rows) * row_bytes(dtype, columns));
  if (!format.is_quantized) {
    const auto values = normal(rows * columns, 0.1f);
    encode(dtype, values.data(), rows * columns, bytes.data());
  } else if (is_affine(dtype)) {
    for (int64_t row = 0; row < rows; ++row) {
      const auto values = normal(columns, 0.1f);
      encode_affine(dtype, values.data(), nullptr, columns, bytes.data() + row * static_cast<int64_t>(row_bytes(dtype, columns)));
    }
  } else {
    const auto& stock = block_stock(format);
    std::uniform_int_distribution<size_t> pick(0, stock.size() - 1);
    for (auto to = bytes.begin(); to != bytes.end(); to += format.block_bytes) std::ranges::copy(stock[pick(random_)], to);
  }
  add({dtype, {Dim(rows), Dim(columns)}}, std::move(bytes));
  return *this;
}

CaseBuilder& CaseBuilder::ids(int32_t below) {
  std::vector<int32_t> values;
  for (int64_t i = 0; i < case_.symbols.tokens; ++i) values.push_back(std::uniform_int_distribution<int32_t>(0, below - 1)(random_));
  add({DType::i32, {Dim::tokens()}}, bytes_from(values.data(), values.size() * sizeof(int32_t)));
  return *this;
}

CaseBuilder& CaseBuilder::absent() {
  case_.operands.push_back(ValueType::unknown());
  case_.inputs.emplace_back();
  return *this;
}

CaseBuilder& CaseBuilder::batch_operand() {
  case_.operands.push_back(ValueType::batch());
  case_.inputs.emplace_back();
  return *this;
}

CaseBuilder& CaseBuilder::cache_operand() {
  case_.operands.push_back(ValueType::cache());
  case_.inputs.emplace_back();
  return *this;
}

void CaseBuilder::add(TensorType type, std::vector<uint8_t> bytes) {
  case_.operands.push_back(ValueType::of(std::move(type)));
  case_.inputs.push_back(std::move(bytes));
}

std::vector<float> CaseBuilder::normal(int64_t n, float size, float middle) {
  std::normal_distribution<float> distribution(middle, size);
  std::vector<float> values(static_cast<size_t>(n));
  for (float& value : values) value = distribution(random_);
  return values;
}

}  // namespace hyalite::conformance
