#include "workbench/packed/packed_quantizer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "ops/reference.h"
#include "tensor/affine.h"
#include "workbench/packed/awq.h"

namespace hyalite {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"int8", "int4", "int4_awq"};
constexpr DType kGroupFormats[] = {DType::int4_g128, DType::int4_g64, DType::int4_g32};

bool is_table(const std::string& name) {
  return name == "token_embd" || name == "output";
}

// Counts what could not be as asked, and says it once for all tensors of one width.
class Fallbacks {
 public:
  void add(const std::string& name, const std::string& what) {
    auto [entry, fresh] = found_.try_emplace(what, Entry{name, 0});
    ++entry->second.count;
  }
  void remark(std::vector<std::string>& remarks) const {
    for (const auto& [what, entry] : found_)
      remarks.push_back(entry.first + (entry.count > 1 ? " and " + std::to_string(entry.count - 1) + " more" : "") + ": " + what);
  }

 private:
  struct Entry {
    std::string first;
    int count;
  };
  std::map<std::string, Entry> found_;
};

// The format that every matrix is rounded to; those that are left as they are have none.
std::map<std::string, DType> choose_formats(ImportedModel& model, const PackedOptions& options) {
  std::map<std::string, DType> formats;
  Fallbacks fallbacks;
  for (const TensorSpec& spec : tensor_specs(model.config)) {
    if (spec.dims.size() != 2) continue;
    const int64_t columns = spec.dims[1];
    const std::string width = std::to_string(columns) + " columns";
    if (columns % format_of(DType::int8).block_elements) {
      fallbacks.add(spec.name, "stays " + std::string(format_of(model.weights.at(spec.name).type.dtype).name) + ", " + width +
                                   " are no multiple of 32");
      continue;
    }
    DType chosen = DType::int8;
    if (options.type != PackedType::int8 && !is_table(spec.name)) {
      chosen = *std::ranges::find_if(kGroupFormats, [&](DType dtype) {
        const int group = format_of(dtype).block_elements;
        return group <= options.group && columns % group == 0;
      });
      if (const int group = format_of(chosen).block_elements; group < options.group)
        fallbacks.add(spec.name,
                      "groups of " + std::to_string(group) + ", " + width + " are no multiple of " + std::to_string(options.group));
    }
    formats.emplace(spec.name, chosen);
  }
  fallbacks.remark(model.remarks);
  return formats;
}

// What an error in each column of a matrix counts, as the scaled matrix sees it; empty: all the same.
std::vector<float> importance_of(const std::string& name, int64_t columns, const TensorScales& scales, const PackedOptions& options) {
  std::vector<float> importance;
  if (options.type != PackedType::int4_awq || is_table(name)) return importance;
  const ColumnStatistics& input = statistics_of(*options.activations, name, columns);
  for (size_t c = 0; c < input.mean_square.size(); ++c) {
    const float scale = scales.columns.empty() ? 1 : scales.columns[c];
    importance.push_back(static_cast<float>(input.mean_square[c]) / (scale * scale));
  }
  return importance;
}

constexpr int64_t kRowsAtOnce = 4096;  // between two looks at whether the work is still wanted

// Rounds the rows of one matrix.
class MatrixRounder {
 public:
  MatrixRounder(const TensorView& source, DType dtype, const TensorScales& scales, const std::vector<float>& importance)
      : source_(source), dtype_(dtype), scales_(scales), importance_(importance), errors_(source.rows()), squares_(source.rows()) {}

  std::vector<uint8_t> round(ThreadPool& pool) {
    const size_t stride = row_bytes(dtype_, source_.columns());
    std::vector<uint8_t> bytes(static_cast<size_t>(source_.rows()) * stride);
    for (int64_t first = 0; first < source_.rows(); first += kRowsAtOnce) {
      const int64_t rows = std::min(kRowsAtOnce, source_.rows() - first);
      pool.run([&](int thread) {
        std::vector<float> scratch, values(source_.columns()), rounded(source_.columns());
        const WorkRange range{thread, pool.size(), 0};
        for (int64_t r = first + range.begin(rows); r < first + range.end(rows); ++r) {
          scale(row_as_floats(source_, r, scratch), r, values);
          round_row(values, r, bytes.data() + r * stride, rounded);
        }
      });
    }
    return bytes;
  }

  bool fits() const { return fits_; }
  double relative_error() const {
    double error = 0, square = 0;
    for (double row : errors_) error += row;
    for (double row : squares_) square += row;
    return square > 0 ? std::sqrt(error / square) : 0;
  }

 private:
  void scale(const float* row, int64_t r, std::vector<float>& values) const {
    const float by = scales_.rows.empty() ? 1 : scales_.rows[r];
    for (size_t c = 0; c < values.size(); ++c) values[c] = row[c] * by * (scales_.columns.empty() ? 1 : scales_.columns[c]);
  }

  void round_row(const std::vector<float>& values, int64_t r, uint8_t* to, std::vector<float>& rounded) {
    const auto columns = static_cast<int64_t>(values.size());
    if (!encode_affine(dtype_, values.data(), importance_.empty() ? nullptr : importance_.data(), columns, to)) {
      fits_ = false;
      return;
    }
    format_of(dtype_).decode(to, columns / format_of(dtype_).block_elements, rounded.data());
    for (int64_t c = 0; c < columns; ++c) {
      const double error = double{values[c]} - rounded[c];
      errors_[r] += error * error, squares_[r] += double{values[c]} * values[c];
    }
  }

  const TensorView source_;
  DType dtype_;
  const TensorScales& scales_;
  const std::vector<float>& importance_;
  std::vector<double> errors_, squares_;  // by row, so that sums do not depend on threads
  std::atomic<bool> fits_ = true;
};

// Norms and biases are fp32 in a store.
void add_scaled_vector(WeightStore& store, const std::string& name, const WeightStore::Entry& entry, const std::vector<float>& by) {
  std::vector<float> values(by.size());
  std::memcpy(values.data(), entry.data, values.size() * sizeof(float));
  std::transform(values.begin(), values.end(), by.begin(), values.begin(), std::multiplies<>());
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  store.add_owned(name, entry.type, entry.source, {bytes, bytes + values.size() * sizeof(float)});
}

}  // namespace

std::optional<PackedType> packed_type_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<PackedType>(found - kNames.begin());
}

std::string_view name_of(PackedType type) {
  return kNames[static_cast<size_t>(type)];
}

PackedReport quantize_packed(ImportedModel& model, const PackedOptions& options, ThreadPool& pool) {
  if (std::ranges::none_of(kGroupFormats, [&](DType dtype) { return format_of(dtype).block_elements == options.group; }))
    throw Error(ErrorCode::invalid_argument, "group size " + std::to_string(options.group), "must be 32, 64 or 128");
  const bool awq = options.type == PackedType::int4_awq;
  if (awq && !options.activations)
    throw Error(ErrorCode::invalid_argument, "int4_awq", "needs a calibration text: scales follow from the activations it causes");
  const std::map<std::string, DType> formats = choose_formats(model, options);
  const ScalesByTensor scales = awq ? search_awq(model, formats, *options.activations, pool) : ScalesByTensor{};
  static const TensorScales none;
  PackedReport report;
  WeightStore packed;
  for (const TensorSpec& spec : tensor_specs(model.config)) {
    const WeightStore::Entry* entry = model.weights.find(spec.name);
    if (!entry) continue;
    const auto scaled = scales.find(spec.name);
    const TensorScales& by = scaled == scales.end() ? none : scaled->second;
    const auto format = formats.find(spec.name);
    report.bytes_before += bytes_of(entry->type, {});
    if (format == formats.end()) {
      by.rows.empty() ? packed.add_shared(spec.name, *entry) : add_scaled_vector(packed, spec.name, *entry, by.rows);
    } else {
      const std::vector<float> importance = importance_of(spec.name, spec.dims[1], by, options);
      MatrixRounder rounder(model.weights.view(spec.name), format->second, by, importance);
      std::vector<uint8_t> bytes = rounder.round(pool);
      if (!rounder.fits())
        throw Error(ErrorCode::invalid_model, entry->source.file + ": tensor " + entry->source.tensor,
                    "holds values that are not finite or too large for " + std::string(format_of(format->second).name));
      packed.add_owned(spec.name, {format->second, entry->type.dims}, entry->source, std::move(bytes));
      model.weights.release(spec.name, 0, static_cast<size_t>(bytes_of(entry->type, {})));
      report.tensors.push_back({spec.name, entry->type.dtype, format->second, rounder.relative_error()});
    }
    report.bytes_after += bytes_of(packed.at(spec.name).type, {});
  }
  model.weights = std::move(packed);
  return report;
}

}  // namespace hyalite
