#include "workbench/quantize/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "compile/load.h"
#include "engine/engine.h"
#include "workbench/divergence.h"
#include "workbench/scored_windows.h"

namespace hyalite {
namespace {

constexpr int64_t kChunk = 64;

// The weights of a model with one of them in another form.
WeightStore with_replaced(const WeightStore& weights, const std::string& name, const TensorType& type, std::vector<uint8_t> bytes) {
  WeightStore result;
  result.add_owned(name, type, weights.at(name).source, std::move(bytes));
  for (const auto& [key, entry] : weights.entries())
    if (key != name) result.add_shared(key, entry);
  return result;
}

// Logits of a text under variants of one model.
class Prober {
 public:
  Prober(const ImportedModel& model, const SweepOptions& sweep, std::span<const int32_t> ids, CompileOptions options)
      : model_(model),
        tokenizer_(model.tokenizer),
        ids_(ids),
        cut_(cut_windows(static_cast<int64_t>(ids.size()), sweep.context, sweep.windows)),
        options_(std::move(options)) {
    options_.fuse = false;  // so that a matrix may have a format that its neighbours have not
    options_.max_symbols = {kChunk, 1, kChunk};
    options_.max_positions = sweep.context;
    const auto vocabulary = static_cast<size_t>(model.tokenizer.pieces.size());
    run(model, [&](const ScoredRows& rows, int64_t row, int64_t valid) {
      base_.resize(static_cast<size_t>(cut_.scored()) * vocabulary);
      vocabulary_ = static_cast<size_t>(valid);
      std::ranges::copy(rows.logits(0, row, valid), base_.begin() + (rows.first + row) * valid);
    });
  }

  // Mean KL of the model whose weight `name` is this one.
  double kl_with(const std::string& name, const TensorType& type, std::vector<uint8_t> bytes) {
    ImportedModel variant{model_.config, model_.tokenizer, with_replaced(model_.weights, name, type, std::move(bytes)),
                          model_.files,  model_.format,    {}};
    double sum = 0;
    run(std::move(variant), [&](const ScoredRows& rows, int64_t row, int64_t valid) {
      const std::span<const float> base(base_.data() + static_cast<size_t>(rows.first + row) * vocabulary_, vocabulary_);
      sum += divergence(Distribution(base), Distribution(rows.logits(0, row, valid)), rows.next[row]).kl;
    });
    return sum / static_cast<double>(cut_.scored());
  }

 private:
  template <class PerRow>
  void run(ImportedModel model, const PerRow& per_row) {
    ThreadPool pool(options_.threads);
    const auto plan = make_model_plan(compile(std::move(model), options_, pool), pool);
    Engine engine(plan, tokenizer_, {options_.threads, cut_.context, 1, kChunk});
    Engine* engines[] = {&engine};
    auto sink = [&](const ScoredRows& rows) {
      for (int64_t row = 0; row < rows.count(); ++row) per_row(rows, row, engine.valid_ids());
    };
    score_windows(engines, ids_, cut_, sink, {.cancel = options_.cancel});
  }

  const ImportedModel& model_;
  const Tokenizer tokenizer_;
  const std::span<const int32_t> ids_;
  const WindowCut cut_;
  CompileOptions options_;
  std::vector<float> base_;  // logits, by scored token
  size_t vocabulary_ = 0;
};

// The matrix as the model has it, rather than as the file would.
GgufCheckpointTensor model_tensor(const ImportedModel& model, const GgufCheckpointTensor& tensor) {
  const WeightStore::Entry& entry = model.weights.at(tensor.canonical);
  GgufCheckpointTensor result = tensor;
  result.header.dtype = entry.type.dtype;
  result.data = entry.data;
  return result;
}

double bits_of(DType dtype) {
  return 8.0 * format_of(dtype).block_bytes / format_of(dtype).block_elements;
}

// Formats that divide the rows, by size.
std::vector<DType> possible(const SweepOptions& sweep, int64_t columns) {
  std::vector<DType> list;
  for (DType dtype : sweep.candidates)
    if (columns % format_of(dtype).block_elements == 0) list.push_back(dtype);
  if (list.empty()) list.push_back(DType::f16);
  std::ranges::stable_sort(list, {}, bits_of);
  return list;
}

// Errors are small where KL grows with their square, so that one run tells of all formats.
TensorSensitivity measure(Prober& prober, const GgufCheckpointTensor& tensor, const SweepOptions& sweep, const QuantizeOptions& quantize,
                          ThreadPool& pool) {
  TensorSensitivity result{.tensor = tensor.canonical, .source_bytes = tensor.header.bytes()};
  const std::vector<DType> formats = possible(sweep, tensor.header.dims.back());
  result.probe = formats[0];
  for (DType dtype : formats)
    if (bits_of(dtype) <= sweep.target_bits) result.probe = dtype;
  std::vector<double> errors;
  TensorType f32{DType::f32, {}};
  for (int64_t dim : tensor.header.dims) f32.dims.emplace_back(dim);
  for (DType dtype : formats) {
    EncodedTensor encoded = encode_tensor(tensor, dtype, quantize, pool);
    GgufTensorHeader header = tensor.header;
    header.dtype = dtype;
    const double error = encoded.weighted_error;
    if (!errors.empty() && error >= errors.back()) continue;
    errors.push_back(error);
    result.candidates.push_back({dtype, header.bytes(), error});
    if (dtype != result.probe) continue;
    std::vector<uint8_t> bytes(static_cast<size_t>(bytes_of(f32, {})));
    const FormatSpec& format = format_of(dtype);
    format.decode(encoded.bytes.data(), static_cast<int64_t>(encoded.bytes.size()) / format.block_bytes,
                  reinterpret_cast<float*>(bytes.data()));
    result.probe_kl = std::max(0.0, prober.kl_with(tensor.canonical, f32, std::move(bytes)));
  }
  const auto probe = std::ranges::find(result.candidates, result.probe, &Candidate::dtype);
  const double scale = probe != result.candidates.end() && probe->kl > 0 ? result.probe_kl / probe->kl : 0;
  for (Candidate& candidate : result.candidates) candidate.kl *= scale;
  return result;
}

}  // namespace

double TensorSensitivity::kl_per_megabyte_saved() const {
  const auto probed = std::ranges::find(candidates, probe, &Candidate::dtype);
  const double saved = probed == candidates.end() ? 0 : (static_cast<double>(source_bytes) - static_cast<double>(probed->bytes)) / 1e6;
  return saved > 0 ? probe_kl / saved : 0;
}

std::vector<TensorSensitivity> measure_sensitivity(const GgufCheckpoint& checkpoint, const SweepOptions& sweep,
                                                   std::span<const int32_t> ids, const QuantizeOptions& quantize, CompileOptions compile,
                                                   const std::function<void()>& tensor_done) {
  const int threads = compile.threads;
  Prober prober(checkpoint.model, sweep, ids, std::move(compile));
  std::vector<TensorSensitivity> result;
  for (const GgufCheckpointTensor& tensor : checkpoint.tensors) {
    if (!tensor.is_matrix) continue;
    ThreadPool pool(threads);
    result.push_back(measure(prober, model_tensor(checkpoint.model, tensor), sweep, quantize, pool));
    if (tensor_done) tensor_done();
  }
  std::ranges::stable_sort(result, std::greater(), &TensorSensitivity::kl_per_megabyte_saved);
  return result;
}

std::vector<RecipeRule> recipe_within(const GgufCheckpoint& checkpoint, const std::vector<TensorSensitivity>& tensors, double target_bits) {
  uint64_t elements = 0, used = 0;
  for (const GgufCheckpointTensor& tensor : checkpoint.tensors) {
    uint64_t count = 1;
    for (int64_t dim : tensor.header.dims) count *= static_cast<uint64_t>(dim);
    elements += count;
    if (!tensor.is_matrix) used += tensor.header.bytes();
  }
  for (const TensorSensitivity& tensor : tensors) used += tensor.candidates[0].bytes;
  const auto budget = static_cast<uint64_t>(target_bits * static_cast<double>(elements) / 8);
  if (used > budget)
    throw Error(
        ErrorCode::invalid_argument, fmt::format("--target-bits {}", target_bits),
        fmt::format("the smallest candidates take {:.2f} bits a weight", 8.0 * static_cast<double>(used) / static_cast<double>(elements)));
  std::vector<size_t> chosen(tensors.size(), 0);
  for (;;) {
    double best_gain = 0;
    size_t best = tensors.size(), best_to = 0;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const std::vector<Candidate>& list = tensors[i].candidates;
      for (size_t to = chosen[i] + 1; to < list.size(); ++to) {
        const uint64_t more = list[to].bytes - list[chosen[i]].bytes;
        const double gain = (list[chosen[i]].kl - list[to].kl) / static_cast<double>(std::max<uint64_t>(more, 1));
        if (used + more <= budget && gain > best_gain) best_gain = gain, best = i, best_to = to;
      }
    }
    if (best == tensors.size()) break;
    used += tensors[best].candidates[best_to].bytes - tensors[best].candidates[chosen[best]].bytes;
    chosen[best] = best_to;
  }
  std::vector<RecipeRule> rules;
  for (size_t i = 0; i < tensors.size(); ++i) rules.push_back({tensors[i].tensor, tensors[i].candidates[chosen[i]].dtype});
  return rules;
}

}  // namespace hyalite
