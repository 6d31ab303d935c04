// The arithmetic that reference evaluations share. fp32 results from fixed orders of summation that depend on the shape of one row only,
// so that a row's result is the same in any batch and with any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/op_spec.h"
#include "ops/params.h"

namespace hyalite {

// How many parts to cut an evaluation of this cost into, so that whoever is asked to stop can do so every fraction of a second.
int reference_parts(const Cost& cost);

// Row `row` of a tensor of any format as fp32. Points into the tensor where it is f32, else decodes into `scratch`.
const float* row_as_floats(const TensorView& tensor, int64_t row, std::vector<float>& scratch);

// A vector operand as fp32; data() is nullptr for an absent optional.
class FloatVector {
 public:
  explicit FloatVector(const TensorView& tensor);
  FloatVector(const FloatVector&) = delete;
  FloatVector& operator=(const FloatVector&) = delete;
  const float* data() const { return data_; }

 private:
  std::vector<float> scratch_;
  const float* data_ = nullptr;
};

// y = weight * x / sqrt(mean(x^2) + eps) over n columns; y may be x.
void rms_norm(const float* x, const float* weight, int64_t n, float eps, float* y);

// Rotates the first 2 * pairs dimensions of a head in place by the angles position * freqs[i].
void rope(float* head, const float* freqs, int64_t pairs, int32_t position, const RopeParams& params);

float silu(float x);
float gelu_tanh(float x);

// y[0, n) += factor * x[0, n).
void add_scaled(float* __restrict y, const float* __restrict x, float factor, int64_t n);

// Rows of x, regrouped so that 8 of them are the lanes of one vector: a weight row is decoded once and multiplied into all rows of x.
class Activations {
 public:
  Activations(const float* x, int64_t rows, int64_t columns);

  // y[t * stride + r] = x_t . w_r (+ bias[r]) for every row t of x and weight rows r in [begin, end). bias may be nullptr.
  void multiply(const TensorView& weight, const float* bias, int64_t begin, int64_t end, float* y, int64_t stride) const;
  int64_t rows() const { return rows_; }

 private:
  void multiply_rows(const float* const weights[], int64_t first, int64_t count, const float* bias, float* y, int64_t stride) const;

  int64_t rows_, columns_, lanes_;  // lanes_ is 8, or 1 where x is a single row
  std::vector<float> lanes_of_;     // [groups of rows][columns][lanes]
};

}  // namespace hyalite
