#include "ops/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace hyalite {
namespace {

constexpr int kLanes = 8;
constexpr int kWeightRows = 4;  // weight rows at a time: enough independent sums to hide the latency of an addition
constexpr int64_t kRun = 64;    // products summed in one go; the runs are then summed, which keeps the rounding error of long rows small

struct Vector8 {
  float lane[kLanes];
};
inline Vector8 operator*(float a, const Vector8& x) {
  Vector8 y;
  for (int i = 0; i < kLanes; ++i) y.lane[i] = a * x.lane[i];
  return y;
}
inline Vector8& operator+=(Vector8& y, const Vector8& x) {
  for (int i = 0; i < kLanes; ++i) y.lane[i] += x.lane[i];
  return y;
}

// sums[r] = sum over c of weights[r][c] * x[c], lane by lane. The order of additions is the same for a single float and for 8 lanes.
template <class Lane>
void dot_rows(const float* const weights[], const Lane* x, int64_t n, Lane sums[]) {
  Lane totals[kWeightRows] = {};
  for (int64_t begin = 0; begin < n; begin += kRun) {
    const int64_t end = std::min(n, begin + kRun);
    Lane run[kWeightRows] = {};
    for (int64_t c = begin; c < end; ++c)
      for (int r = 0; r < kWeightRows; ++r) run[r] += weights[r][c] * x[c];
    for (int r = 0; r < kWeightRows; ++r) totals[r] += run[r];
  }
  std::copy(totals, totals + kWeightRows, sums);
}

}  // namespace

int reference_parts(const Cost& cost) {
  constexpr double kOpsPerPart = 2e8;
  return static_cast<int>(std::clamp(cost.flops / kOpsPerPart, 1.0, 256.0));
}

const float* row_as_floats(const TensorView& tensor, int64_t row, std::vector<float>& scratch) {
  const uint8_t* data = tensor.row(row);
  // Tensors of mapped files may lie at any address.
  const bool aligned = reinterpret_cast<uintptr_t>(data) % alignof(float) == 0;
  if (tensor.dtype == DType::f32 && aligned) return reinterpret_cast<const float*>(data);
  const FormatSpec& format = format_of(tensor.dtype);
  scratch.resize(tensor.columns());
  format.decode(data, tensor.columns() / format.block_elements, scratch.data());
  return scratch.data();
}

FloatVector::FloatVector(const TensorView& tensor) {
  if (tensor.data) data_ = row_as_floats(tensor, 0, scratch_);
}

void rms_norm(const float* x, const float* weight, int64_t n, float eps, float* y) {
  double squares = 0;
  for (int64_t i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * x[i];
  const float inverse = static_cast<float>(1 / std::sqrt(squares / static_cast<double>(n) + eps));
  for (int64_t i = 0; i < n; ++i) y[i] = weight[i] * (x[i] * inverse);
}

void rope(float* head, const float* freqs, int64_t pairs, int32_t position, const RopeParams& params) {
  const int64_t step = params.interleaved ? 2 : 1, distance = params.interleaved ? 1 : pairs;
  for (int64_t i = 0; i < pairs; ++i) {
    // The angle is rounded to fp32 before the cosine is taken, as the models' training code does.
    const float angle = static_cast<float>(position) * freqs[i];
    const float cosine = std::cos(angle) * params.scale, sine = std::sin(angle) * params.scale;
    float &a = head[i * step], &b = head[i * step + distance];
    const float rotated = a * cosine - b * sine;
    b = a * sine + b * cosine;
    a = rotated;
  }
}

float silu(float x) {
  return x / (1 + std::exp(-x));
}

float gelu_tanh(float x) {
  constexpr float kFactor = 0.79788456080286536f;  // sqrt(2 / pi)
  return 0.5f * x * (1 + std::tanh(kFactor * (x + 0.044715f * x * x * x)));
}

void add_scaled(float* __restrict y, const float* __restrict x, float factor, int64_t n) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) y[i + lane] += factor * x[i + lane];
  for (; i < n; ++i) y[i] += factor * x[i];
}

Activations::Activations(const float* x, int64_t rows, int64_t columns) : rows_(rows), columns_(columns), lanes_(rows == 1 ? 1 : kLanes) {
  const int64_t groups = (rows + lanes_ - 1) / lanes_;
  lanes_of_.resize(groups * columns * lanes_);
  for (int64_t t = 0; t < rows; ++t) {
    float* out = lanes_of_.data() + t / lanes_ * columns * lanes_ + t % lanes_;
    for (int64_t c = 0; c < columns; ++c) out[c * lanes_] = x[t * columns + c];
  }
}

void Activations::multiply_rows(const float* const weights[], int64_t first, int64_t count, const float* bias, float* y,
                                int64_t stride) const {
  for (int64_t begin = 0; begin < rows_; begin += lanes_) {
    const float* x = lanes_of_.data() + begin * columns_;
    float sums[kWeightRows * kLanes];
    if (lanes_ == 1)
      dot_rows(weights, x, columns_, sums);
    else
      dot_rows(weights, reinterpret_cast<const Vector8*>(x), columns_, reinterpret_cast<Vector8*>(sums));
    const int64_t end = std::min(rows_, begin + lanes_);
    for (int64_t t = begin; t < end; ++t)
      for (int64_t r = 0; r < count; ++r) {
        const float sum = sums[r * lanes_ + (t - begin)];
        y[t * stride + first + r] = bias ? sum + bias[first + r] : sum;
      }
  }
}

void Activations::multiply(const TensorView& weight, const float* bias, int64_t begin, int64_t end, float* y, int64_t stride) const {
  std::vector<float> scratch[kWeightRows];
  const float* weights[kWeightRows];
  for (int64_t r = begin; r < end; r += kWeightRows) {
    const int64_t count = std::min<int64_t>(kWeightRows, end - r);
    for (int64_t i = 0; i < kWeightRows; ++i) weights[i] = i < count ? row_as_floats(weight, r + i, scratch[i]) : weights[0];
    multiply_rows(weights, r, count, bias, y, stride);
  }
}

}  // namespace hyalite
