#include "workbench/quantize/quantize.h"

#include <cmath>
#include <optional>

#include "base/cancellation.h"
#include "base/error.h"
#include "tensor/encode.h"

namespace hyalite {
namespace {

constexpr float kLargestHalf = 65504;

int64_t rows_of(const GgufCheckpointTensor& tensor) {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < tensor.header.dims.size(); ++i) rows *= tensor.header.dims[i];
  return rows;
}

TensorChoice fitting(DType wanted, int64_t columns) {
  TensorChoice choice{wanted, {}};
  while (columns % format_of(choice.dtype).block_elements) choice.dtype = smaller_blocks(choice.dtype);
  if (choice.dtype != wanted)
    choice.note = "rows of " + std::to_string(columns) + " are not divisible by the " + std::to_string(format_of(wanted).block_elements) +
                  " of " + std::string(format_of(wanted).name);
  return choice;
}

// The largest magnitude of a tensor.
float largest_value(const GgufCheckpointTensor& tensor, ThreadPool& pool, const std::atomic<bool>* cancel) {
  std::vector<float> largest(pool.size(), 0);
  const int64_t rows = rows_of(tensor);
  pool.run([&](int thread) {
    for (int64_t row = thread; row < rows; row += pool.size()) {
      throw_if_set(cancel);
      const std::vector<float> values = decode_rows(tensor, row, 1);
      for (size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]))
          throw Error(ErrorCode::invalid_model, "tensor " + tensor.header.name,
                      "row " + std::to_string(row) + ", column " + std::to_string(i) + " is " +
                          (std::isnan(values[i]) ? "NaN" : "infinite") + ": it cannot be quantised");
        largest[thread] = std::fmax(largest[thread], std::fabs(values[i]));
      }
    }
  });
  return *std::ranges::max_element(largest);
}

bool holds_halves(DType dtype) {
  return dtype != DType::f32 && dtype != DType::bf16 && dtype != DType::mxfp4;
}

// Errors of large values count more: they are what outputs are made of, as far as columns say nothing better.
void error_weights(std::span<const float> row, std::span<const float> importance, std::span<float> weights) {
  float squares = 0;
  for (float value : row) squares += value * value;
  const float mean = squares / static_cast<float>(row.size());
  for (size_t i = 0; i < row.size(); ++i) weights[i] = (importance.empty() ? 1.0f : importance[i]) * std::sqrt(mean + row[i] * row[i]);
}

// Importance of each column, scaled to a mean of 1; empty where nothing is known or all is 0.
std::vector<float> importance_of(const GgufCheckpointTensor& tensor, const QuantizeOptions& options) {
  if (!options.statistics) return {};
  const auto found = options.statistics->find(tensor.canonical);
  if (found == options.statistics->end()) return {};
  double sum = 0;
  for (double value : found->second.mean_square) sum += value;
  if (!(sum > 0)) return {};
  std::vector<float> importance;
  for (double value : found->second.mean_square)
    importance.push_back(static_cast<float>(value * static_cast<double>(found->second.mean_square.size()) / sum));
  return importance;
}

// Encodes rows one at a time and measures what was lost.
class RowEncoder {
 public:
  RowEncoder(const GgufCheckpointTensor& tensor, DType dtype, bool search, std::span<const float> importance)
      : tensor_(tensor),
        dtype_(dtype),
        search_(search),
        importance_(importance),
        columns_(tensor.header.dims.back()),
        weights_(columns_),
        back_(columns_) {}

  struct Loss {
    double squared_error = 0, squares = 0, weighted_error = 0;
  };

  Loss encode_row(int64_t row, uint8_t* out) {
    const std::vector<float> values = decode_rows(tensor_, row, 1);
    if (search_) {
      error_weights(values, importance_, weights_);
      encode_weighted(dtype_, values.data(), weights_.data(), columns_, out);
    } else {
      encode(dtype_, values.data(), columns_, out);
    }
    const FormatSpec& format = format_of(dtype_);
    format.decode(out, columns_ / format.block_elements, back_.data());
    Loss loss;
    for (int64_t i = 0; i < columns_; ++i) {
      const double value = values[i], off = value - back_[i];
      loss.squared_error += off * off;
      loss.squares += value * value;
      loss.weighted_error += off * off * (importance_.empty() ? 1.0 : static_cast<double>(importance_[i]));
    }
    return loss;
  }

 private:
  const GgufCheckpointTensor& tensor_;
  const DType dtype_;
  const bool search_;
  const std::span<const float> importance_;
  const int64_t columns_;
  std::vector<float> weights_, back_;
};

}  // namespace

std::vector<float> decode_rows(const GgufCheckpointTensor& tensor, int64_t first, int64_t rows) {
  const FormatSpec& format = format_of(tensor.header.dtype);
  const int64_t columns = tensor.header.dims.back();
  std::vector<float> values(static_cast<size_t>(rows * columns));
  format.decode(tensor.data + static_cast<size_t>(first) * row_bytes(tensor.header.dtype, columns), rows * columns / format.block_elements,
                values.data());
  return values;
}

std::vector<TensorChoice> choose_types(const GgufCheckpoint& checkpoint, const Mixture& mixture, const std::vector<RecipeRule>& rules,
                                       ThreadPool& pool, const std::atomic<bool>* cancel) {
  std::vector<TensorChoice> choices;
  for (const GgufCheckpointTensor& tensor : checkpoint.tensors) {
    TensorChoice& choice = choices.emplace_back(TensorChoice{tensor.header.dtype, {}});
    if (!tensor.is_matrix) continue;
    const std::optional<size_t> rule = rule_for(rules, tensor.canonical);
    const DType wanted = rule ? rules[*rule].dtype : mixed_type(mixture, checkpoint.model.config, tensor.canonical);
    choice = fitting(wanted, tensor.header.dims.back());
    if (choice.dtype == tensor.header.dtype) continue;
    if (largest_value(tensor, pool, cancel) > kLargestHalf && holds_halves(choice.dtype))
      choice = {DType::bf16, "values beyond 65504 do not fit the halves of " + std::string(format_of(choice.dtype).name)};
  }
  return choices;
}

EncodedTensor encode_tensor(const GgufCheckpointTensor& tensor, DType dtype, const QuantizeOptions& options, ThreadPool& pool) {
  const int64_t rows = rows_of(tensor);
  const size_t row_size = row_bytes(dtype, tensor.header.dims.back());
  const std::vector<float> importance = importance_of(tensor, options);
  std::vector<RowEncoder::Loss> losses(static_cast<size_t>(rows));
  EncodedTensor result;
  result.bytes.resize(static_cast<size_t>(rows) * row_size);
  pool.run([&](int thread) {
    RowEncoder encoder(tensor, dtype, options.search, importance);
    for (int64_t row = thread; row < rows; row += pool.size()) {
      throw_if_set(options.cancel);
      losses[row] = encoder.encode_row(row, result.bytes.data() + static_cast<size_t>(row) * row_size);
    }
  });
  for (const RowEncoder::Loss& loss : losses) {
    result.squared_error += loss.squared_error;
    result.squares += loss.squares;
    result.weighted_error += loss.weighted_error;
  }
  return result;
}

std::vector<TensorReport> write_quantized(const GgufCheckpoint& checkpoint, const std::vector<TensorChoice>& choices,
                                          const std::filesystem::path& out, const QuantizeOptions& options, ThreadPool& pool,
                                          const std::function<void(uint64_t)>& done) {
  std::vector<GgufTensorHeader> headers;
  for (size_t i = 0; i < choices.size(); ++i) {
    headers.push_back(checkpoint.tensors[i].header);
    headers.back().dtype = choices[i].dtype;
  }
  GgufWriter writer(out, checkpoint.pairs, std::move(headers), checkpoint.alignment);
  std::vector<TensorReport> reports;
  for (size_t i = 0; i < choices.size(); ++i) {
    throw_if_set(options.cancel);
    const GgufCheckpointTensor& tensor = checkpoint.tensors[i];
    TensorReport& report = reports.emplace_back();
    if (choices[i].dtype == tensor.header.dtype) {
      writer.add({tensor.data, tensor.header.bytes()});
    } else {
      const EncodedTensor encoded = encode_tensor(tensor, choices[i].dtype, options, pool);
      if (encoded.squares > 0) report.error = std::sqrt(encoded.squared_error / encoded.squares);
      writer.add(encoded.bytes);
    }
    if (done) done(tensor.header.bytes());
  }
  writer.finish();
  return reports;
}

}  // namespace hyalite
