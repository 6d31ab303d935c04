#include "workbench/packed/awq.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "ops/reference.h"
#include "tensor/affine.h"

namespace hyalite {
namespace {

constexpr int kSteps = 20;                // alpha = 0, 1/20, ... 1
constexpr int64_t kSearchedRows = 512;    // of a matrix, evenly spread
constexpr float kLeastMagnitude = 1e-4f;  // relative to the largest of a group: columns that meet next to nothing

// Matrices that share an input, and the tensor that makes it. Column c of the matrices meets element c of a norm, or row row_of(c) of a
// matrix.
struct Group {
  std::vector<std::string> matrices;
  std::string source;
  int64_t channels = 0;               // of the source
  int64_t head_dim = 1, sharing = 1;  // heads of the input that one head of the source serves

  int64_t row_of(int64_t column) const { return column / (head_dim * sharing) * head_dim + column % head_dim; }
};

std::vector<Group> groups_of(const ModelConfig& config) {
  std::vector<Group> groups;
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const std::string at = "blk." + std::to_string(layer) + ".";
    groups.push_back({{at + "attn_q", at + "attn_k", at + "attn_v"}, at + "attn_norm", config.hidden});
    groups.push_back(
        {{at + "attn_output"}, at + "attn_v", config.kv_heads * config.head_dim, config.head_dim, config.heads / config.kv_heads});
    groups.push_back({{at + "ffn_gate", at + "ffn_up"}, at + "ffn_norm", config.hidden});
    groups.push_back({{at + "ffn_down"}, at + "ffn_up", config.intermediate});
  }
  return groups;
}

bool is_int4(DType dtype) {
  return is_affine(dtype) && dtype != DType::int8;
}

// mean|x| of each channel of the source, from the columns that meet it.
std::vector<float> magnitudes_of(const Group& group, const ColumnStatistics& input) {
  std::vector<float> magnitudes(static_cast<size_t>(group.channels));
  for (size_t c = 0; c < input.mean_magnitude.size(); ++c)
    magnitudes[group.row_of(static_cast<int64_t>(c))] += static_cast<float>(input.mean_magnitude[c]) / static_cast<float>(group.sharing);
  const float least = *std::max_element(magnitudes.begin(), magnitudes.end()) * kLeastMagnitude;
  for (float& magnitude : magnitudes) magnitude = std::max(magnitude, least);
  return magnitudes;
}

// magnitude^alpha, moved so that the largest and the smallest are as far from 1.
std::vector<float> scales_at(const std::vector<float>& magnitudes, float alpha) {
  const auto [low, high] = std::minmax_element(magnitudes.begin(), magnitudes.end());
  const float middle = std::sqrt(*low) * std::sqrt(*high);
  std::vector<float> scales;
  for (float magnitude : magnitudes) scales.push_back(middle > 0 ? std::pow(magnitude / middle, alpha) : 1);
  return scales;
}

// What a choice of alpha means for the columns of a matrix: their scale, and what an error of the scaled weight counts.
struct Candidate {
  std::vector<float> scale, importance;
};

Candidate candidate_of(const Group& group, const std::vector<float>& scales, const ColumnStatistics& input) {
  Candidate candidate;
  for (size_t c = 0; c < input.mean_square.size(); ++c) {
    const float scale = scales[group.row_of(static_cast<int64_t>(c))];
    candidate.scale.push_back(scale);
    candidate.importance.push_back(static_cast<float>(input.mean_square[c]) / (scale * scale));
  }
  return candidate;
}

// Loss of one row under one candidate: the mean square of its output's error, were its inputs independent.
class RowLoss {
 public:
  RowLoss(DType dtype, int64_t columns) : dtype_(dtype), scaled_(columns), rounded_(columns), bytes_(row_bytes(dtype, columns)) {}

  double operator()(const float* weights, const Candidate& candidate) {
    const auto columns = static_cast<int64_t>(scaled_.size());
    for (int64_t c = 0; c < columns; ++c) scaled_[c] = weights[c] * candidate.scale[c];
    if (!encode_affine(dtype_, scaled_.data(), nullptr, columns, bytes_.data())) return INFINITY;
    format_of(dtype_).decode(bytes_.data(), columns / format_of(dtype_).block_elements, rounded_.data());
    double loss = 0;
    for (int64_t c = 0; c < columns; ++c) {
      const float error = scaled_[c] - rounded_[c];
      loss += candidate.importance[c] * error * error;
    }
    return loss;
  }

 private:
  DType dtype_;
  std::vector<float> scaled_, rounded_;
  std::vector<uint8_t> bytes_;
};

// Adds a matrix's loss under every candidate to `losses`.
void add_losses(const TensorView& matrix, DType dtype, const std::vector<Candidate>& candidates, ThreadPool& pool,
                std::vector<double>& losses) {
  const int64_t rows = std::min(matrix.rows(), kSearchedRows);
  std::vector<std::vector<double>> by_row(static_cast<size_t>(rows));
  pool.run([&](int thread) {
    RowLoss loss(dtype, matrix.columns());
    std::vector<float> scratch;
    const WorkRange range{thread, pool.size(), 0};
    for (int64_t i = range.begin(rows); i < range.end(rows); ++i) {
      const float* weights = row_as_floats(matrix, i * matrix.rows() / rows, scratch);
      for (const Candidate& candidate : candidates) by_row[i].push_back(loss(weights, candidate));
    }
  });
  for (const std::vector<double>& row : by_row)
    for (size_t k = 0; k < losses.size(); ++k) losses[k] += row[k] * static_cast<double>(matrix.rows()) / static_cast<double>(rows);
}

// The best scales of the group's channels.
std::vector<float> search(const Group& group, const ImportedModel& model, const std::map<std::string, DType>& formats,
                          const ActivationStatistics& activations, ThreadPool& pool) {
  const int64_t columns = model.weights.view(group.matrices[0]).columns();
  const ColumnStatistics& input = statistics_of(activations, group.matrices[0], columns);
  const std::vector<float> magnitudes = magnitudes_of(group, input);
  std::vector<std::vector<float>> scales;
  std::vector<Candidate> candidates;
  for (int step = 0; step <= kSteps; ++step) {
    scales.push_back(scales_at(magnitudes, static_cast<float>(step) / kSteps));
    candidates.push_back(candidate_of(group, scales.back(), input));
  }
  std::vector<double> losses(candidates.size());
  for (const std::string& name : group.matrices) add_losses(model.weights.view(name), formats.at(name), candidates, pool, losses);
  return scales[std::min_element(losses.begin(), losses.end()) - losses.begin()];
}

void multiply_into(std::vector<float>& factors, const std::vector<float>& by) {
  factors.resize(by.size(), 1.0f);
  std::transform(by.begin(), by.end(), factors.begin(), factors.begin(), std::multiplies<>());
}

void fold(const Group& group, const std::vector<float>& scales, const ImportedModel& model, ScalesByTensor& all) {
  std::vector<float> inverse;
  for (float scale : scales) inverse.push_back(1 / scale);
  multiply_into(all[group.source].rows, inverse);
  if (model.weights.find(group.source + ".bias")) multiply_into(all[group.source + ".bias"].rows, inverse);
  for (const std::string& name : group.matrices) {
    std::vector<float> columns(static_cast<size_t>(model.weights.view(name).columns()));
    for (size_t c = 0; c < columns.size(); ++c) columns[c] = scales[group.row_of(static_cast<int64_t>(c))];
    multiply_into(all[name].columns, columns);
  }
}

}  // namespace

const ColumnStatistics& statistics_of(const ActivationStatistics& all, const std::string& name, int64_t columns) {
  const auto found = all.find(name);
  if (found == all.end()) throw Error(ErrorCode::invalid_argument, name, "is not in the activation statistics");
  if (static_cast<int64_t>(found->second.mean_square.size()) != columns)
    throw Error(
        ErrorCode::invalid_argument, name,
        "has " + std::to_string(columns) + " columns, the activation statistics " + std::to_string(found->second.mean_square.size()));
  return found->second;
}

ScalesByTensor search_awq(const ImportedModel& model, const std::map<std::string, DType>& formats, const ActivationStatistics& activations,
                          ThreadPool& pool) {
  ScalesByTensor all;
  for (const Group& group : groups_of(model.config)) {
    const bool source_is_written = model.weights.at(group.source).type.rank() == 1 || formats.contains(group.source);
    const bool taken = std::ranges::all_of(group.matrices, [&](const std::string& name) {
      const auto format = formats.find(name);
      return format != formats.end() && is_int4(format->second);
    });
    if (source_is_written && taken) fold(group, search(group, model, formats, activations, pool), model, all);
  }
  return all;
}

}  // namespace hyalite
