// Tensor types with symbolic dimensions, and non-owning views with concrete ones.
//
//   TensorType t{DType::f32, {Dim::tokens(), Dim(576)}};   // prints as tensor<T x 576 x f32>
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace hyalite {

// Values of the symbols in one step of execution. T tokens in the step, B sequences, L rows that need logits.
struct Symbols {
  int64_t tokens = 0, sequences = 0, logits_rows = 0;
};

// A dimension: a positive constant, or one of the symbols T, B, L.
class Dim {
 public:
  Dim() = default;
  explicit Dim(int64_t value) : value_(value) {}
  static Dim tokens() { return symbol('T'); }
  static Dim sequences() { return symbol('B'); }
  static Dim logits_rows() { return symbol('L'); }
  static Dim symbol(char name);  // REQUIRES: name is T, B or L

  bool is_symbol() const { return symbol_ != 0; }
  char name() const { return symbol_; }
  int64_t value() const { return value_; }     // REQUIRES: !is_symbol()
  int64_t bind(const Symbols& symbols) const;  // the constant, or the symbol's value
  bool operator==(const Dim&) const = default;

 private:
  int64_t value_ = 0;
  char symbol_ = 0;
};

// Row-major; the last dimension is contiguous and is the one blocks lie along. Weight matrices are [rows = outputs, columns = inputs].
struct TensorType {
  DType dtype = DType::f32;
  std::vector<Dim> dims;

  int rank() const { return static_cast<int>(dims.size()); }
  bool operator==(const TensorType&) const = default;
};

// "tensor<T x 576 x f32>"; parsed back by ir/parser.
std::string to_string(const TensorType& type);
// Bytes with every symbol bound. Throws Error{invalid_model} where the product overflows 2^62.
int64_t bytes_of(const TensorType& type, const Symbols& symbols);

inline constexpr int kMaxRank = 4;

// A pointer with a concrete type. Owns nothing; whoever makes one keeps the memory alive. Plain data, passed to kernels.
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::f32;
  int32_t rank = 0;
  std::array<int64_t, kMaxRank> dims{};

  int64_t columns() const { return rank ? dims[rank - 1] : 1; }
  int64_t rows() const;  // product of all but the last dimension
  int64_t elements() const { return rows() * columns(); }
  size_t bytes() const { return rows() * row_bytes(dtype, columns()); }
  const uint8_t* row(int64_t r) const { return static_cast<const uint8_t*>(data) + r * row_bytes(dtype, columns()); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

// View of `type` at `data` with symbols bound. REQUIRES: rank <= kMaxRank.
TensorView view_of(const TensorType& type, void* data, const Symbols& symbols = {});

}  // namespace hyalite
