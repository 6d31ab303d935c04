#include "execution.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

namespace hyalite::conformance {
namespace {

constexpr size_t kAlign = 64;

struct AlignedDelete {
  void operator()(uint8_t* data) const { ::operator delete(data, std::align_val_t(kAlign)); }
};
// Exactly as long as asked for, so that a sanitizer sees a read beyond the end.
std::unique_ptr<uint8_t, AlignedDelete> aligned_bytes(size_t bytes) {
  return std::unique_ptr<uint8_t, AlignedDelete>(static_cast<uint8_t*>(::operator new(bytes, std::align_val_t(kAlign))));
}

// Bytes between two guards.
class Guarded {
 public:
  explicit Guarded(size_t bytes) : bytes_(bytes), storage_(aligned_bytes(bytes + 2 * kGuard)) {
    std::memset(storage_.get(), kMark, bytes + 2 * kGuard);
  }
  uint8_t* data() { return storage_.get() + kGuard; }
  size_t size() const { return bytes_; }
  bool intact() const {
    const uint8_t *front = storage_.get(), *back = front + kGuard + bytes_;
    const auto marked = [](uint8_t byte) { return byte == kMark; };
    return std::all_of(front, front + kGuard, marked) && std::all_of(back, back + kGuard, marked);
  }

 private:
  static constexpr size_t kGuard = 256;
  static constexpr uint8_t kMark = 0xa5;
  size_t bytes_;
  std::unique_ptr<uint8_t, AlignedDelete> storage_;
};

bool is_weight(const ValueType& operand) {
  return operand.kind == ValueType::Kind::tensor && operand.tensor.rank() == 2 && !operand.tensor.dims[0].is_symbol();
}

// One step: memory for everything, the call, and the check afterwards.
class Step {
 public:
  Step(const KernelVariant& variant, const Case& problem, std::vector<uint8_t> cache_bytes)
      : variant_(variant), case_(problem), cache_(cache_bytes.size()) {
    for (size_t i = 0; i < case_.operands.size(); ++i) add_input(i);
    for (const ValueType& result : case_.results()) add_output(result);
    std::copy(cache_bytes.begin(), cache_bytes.end(), cache_.data());
    if (const OpSpec* op = find_op(case_.op); op->bind) op->bind(case_.attrs, params_);
  }

  void run(int threads, size_t workspace_bytes) {
    Guarded workspace(workspace_bytes);
    std::vector<PageTable> tables;
    const BatchView batch = case_.batch ? case_.batch->view(tables) : BatchView{};
    const CacheView cache = case_.cache ? CacheView{cache_.data(), case_.page_bytes(), 0, *case_.cache} : CacheView{};
    const OpArgs args{.inputs = input_views_.data(),
                      .outputs = output_views_.data(),
                      .params = params_,
                      .batch = case_.batch ? &batch : nullptr,
                      .cache = case_.cache ? &cache : nullptr,
                      .workspace = workspace.data()};
    for (int phase = 0; phase < variant_.phases; ++phase) {
      for (int thread = threads; thread-- > 0;) variant_.run(args, {.index = thread, .count = threads, .phase = phase});
    }
    if (!workspace.intact()) damage_ += "beyond the workspace; ";
  }

  Outcome outcome() {
    Outcome result;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (!outputs_[i].intact()) damage_ += "beyond result " + std::to_string(i) + "; ";
      std::vector<float> values(outputs_[i].size() / sizeof(float));
      if (!values.empty()) std::memcpy(values.data(), outputs_[i].data(), outputs_[i].size());
      result.results.push_back(std::move(values));
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i] && std::memcmp(inputs_[i].get(), before_[i].data(), before_[i].size()) != 0) {
        damage_ += "over operand " + std::to_string(i) + "; ";
      }
    }
    if (!cache_.intact()) damage_ += "beyond the cache; ";
    result.cache.assign(cache_.data(), cache_.data() + cache_.size());
    result.damage = damage_;
    return result;
  }

 private:
  void add_input(size_t index) {
    inputs_.emplace_back();
    before_.emplace_back();
    input_views_.emplace_back();
    const ValueType& operand = case_.operands[index];
    if (operand.kind != ValueType::Kind::tensor) return;
    std::vector<uint8_t> bytes = case_.inputs[index];
    const PackedLayout* layout = is_weight(operand) ? packed_layout_of(operand.tensor.dtype, variant_.layout) : nullptr;
    if (layout) bytes = packed(*layout, operand.tensor, bytes);
    inputs_.back() = aligned_bytes(bytes.size());
    std::copy(bytes.begin(), bytes.end(), inputs_.back().get());
    input_views_.back() = view_of(operand.tensor, inputs_.back().get(), case_.symbols);
    before_.back() = std::move(bytes);
  }

  static std::vector<uint8_t> packed(const PackedLayout& layout, const TensorType& type, std::vector<uint8_t>& source) {
    const int64_t rows = type.dims[0].value(), columns = type.dims[1].value();
    Guarded target(layout.packed_bytes(rows, columns));
    constexpr int threads = 2;
    for (int thread = 0; thread < threads; ++thread)
      layout.pack(view_of(type, source.data()), 0, rows, target.data(), {thread, threads, 0});
    return {target.data(), target.data() + target.size()};
  }

  void add_output(const ValueType& result) {
    const bool tensor = result.kind == ValueType::Kind::tensor;
    outputs_.emplace_back(tensor ? static_cast<size_t>(bytes_of(result.tensor, case_.symbols)) : 0);
    output_views_.push_back(tensor ? view_of(result.tensor, outputs_.back().data(), case_.symbols) : TensorView{});
  }

  const KernelVariant& variant_;
  const Case& case_;
  std::vector<std::unique_ptr<uint8_t, AlignedDelete>> inputs_;
  std::vector<std::vector<uint8_t>> before_;
  std::vector<Guarded> outputs_;
  std::vector<TensorView> input_views_, output_views_;
  Guarded cache_;
  alignas(16) uint8_t params_[kMaxParamBytes] = {};
  std::string damage_;
};

size_t workspace_of(const KernelVariant& variant, const Case& problem) {
  std::vector<ValueType> types;
  return variant.workspace ? variant.workspace(problem.problem(types)) : 0;
}

bool has_tokens_first(const ValueType& value) {
  return value.kind == ValueType::Kind::tensor && value.tensor.rank() > 0 && value.tensor.dims[0] == Dim::tokens();
}

// Tokens [begin, end) of a case.
Case slice(const Case& whole, int64_t begin, int64_t end) {
  Case part = whole;
  for (size_t i = 0; i < whole.operands.size(); ++i) {
    if (!has_tokens_first(whole.operands[i])) continue;
    const auto row = static_cast<ptrdiff_t>(whole.inputs[i].size() / static_cast<size_t>(whole.symbols.tokens));
    part.inputs[i].assign(whole.inputs[i].begin() + begin * row, whole.inputs[i].begin() + end * row);
  }
  part.symbols.tokens = end - begin;
  if (whole.batch) {
    part.batch->positions.assign(whole.batch->positions.begin() + begin, whole.batch->positions.begin() + end);
    part.batch->sequence_of.assign(whole.batch->sequence_of.begin() + begin, whole.batch->sequence_of.begin() + end);
    part.batch->logits_rows.clear();
    part.symbols.logits_rows = 0;
  }
  return part;
}

}  // namespace

Outcome run(const KernelVariant& variant, const Case& problem, int threads) {
  Step step(variant, problem, problem.cache_bytes);
  step.run(threads, workspace_of(variant, problem));
  return step.outcome();
}

Outcome run_in_steps(const KernelVariant& variant, const Case& problem, const std::vector<int64_t>& cuts, int threads) {
  const size_t workspace = workspace_of(variant, problem);
  Outcome all;
  all.cache = problem.cache_bytes;
  all.results.resize(problem.results().size());
  int64_t begin = 0;
  for (const int64_t cut : cuts) {
    const Case part = slice(problem, begin, cut);
    Step step(variant, part, std::move(all.cache));
    step.run(threads, workspace);
    Outcome outcome = step.outcome();
    for (size_t i = 0; i < all.results.size(); ++i) {
      all.results[i].insert(all.results[i].end(), outcome.results[i].begin(), outcome.results[i].end());
    }
    all.cache = std::move(outcome.cache);
    all.damage += outcome.damage;
    begin = cut;
  }
  return all;
}

bool splits_by_tokens(const Case& problem) {
  const auto fits = [](const ValueType& value) { return value.kind != ValueType::Kind::tensor || has_tokens_first(value); };
  const auto results = problem.results();
  return problem.symbols.tokens > 1 && std::all_of(results.begin(), results.end(), fits);
}

}  // namespace hyalite::conformance
