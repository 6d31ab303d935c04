// Blocks of 256 whose parts have scales that are themselves small integers times a half (the K formats, iq4_xs). A fit of each part gives
// the scales that are wanted; then the integers are chosen part by part among the neighbours of the wanted one, by the error that results,
// and the halves are solved for once more with the codes that came of it.
#pragma once

#include "tensor/formats/encoder.h"
#include "tensor/formats/fit.h"

namespace hyalite {

inline float rounded_to_half(float value) {
  return half_to_float(float_to_half(value));
}
inline float clamped(float value, float low, float high) {
  if (!(value > low)) return low;
  return value < high ? value : high;
}
inline float rounded_integer(float value) {
  return rounded(all_lanes(clamped(value, -0x1p20f, 0x1p20f)))[0];
}

inline constexpr Lanes kNoLanes{};

// x = d * scales[part] * codes[i]; scales from ScaleLo to -ScaleLo - 1.
template <class Codes, int Parts, int ScaleLo>
class SignedSuperBlock {
 public:
  static constexpr int kSize = kSuperBlock / Parts;
  float d = 0;
  int scales[Parts] = {};
  float codes[kSuperBlock] = {};

  // `weights` null: the scale that each part's extreme gives, and no search.
  SignedSuperBlock(const float* x, const float* weights, Steps steps) {
    float wanted[Parts];
    for (int part = 0; part < Parts; ++part) {
      const float* values = x + part * kSize;
      wanted[part] = weights ? fit_scale<Codes, kSize>(values, weights + part * kSize, steps) : extreme_of<kSize>(values) / Codes::extreme;
    }
    d = rounded_to_half(extreme_of<Parts>(wanted) / ScaleLo);
    const float error = choose(x, weights, wanted);
    if (!weights || d == 0) return;
    SignedSuperBlock again = *this;
    again.d = rounded_to_half(best_d(x, weights));
    if (again.d != d && again.d != 0 && again.choose(x, weights, wanted) < error) *this = again;
  }

 private:
  // Fills scales and codes for the present d; the error of all parts.
  float choose(const float* x, const float* w, const float* wanted) {
    float error = 0;
    for (int part = 0; part < Parts; ++part) {
      const float middle = d == 0 ? 0 : clamped(rounded_integer(wanted[part] / d), ScaleLo, -ScaleLo - 1);
      const float* values = x + part * kSize;
      float best = middle;
      if (w) {
        float best_error = error_with(values, w + part * kSize, middle);
        for (float scale : {middle - 1, middle + 1}) {
          if (scale < ScaleLo || scale > -ScaleLo - 1) continue;
          if (const float trial = error_with(values, w + part * kSize, scale); trial < best_error) best_error = trial, best = scale;
        }
        error += best_error;
      }
      scales[part] = static_cast<int>(best);
      codes_of<Codes, kSize>(values, inverse_of(d * best), codes + part * kSize);
    }
    return error;
  }

  float error_with(const float* x, const float* w, float scale) const {
    const float step = d * scale, inverse = inverse_of(step);
    Lanes error{};
    for (int i = 0; i < kSize; i += 4) {
      const Lanes value = load_lanes(x + i), off = value - step * Codes::nearest(value * inverse);
      error += load_lanes(w + i) * off * off;
    }
    return sum_of(error);
  }

  float best_d(const float* x, const float* w) const {
    float xq = 0, qq = 0;
    for (int i = 0; i < kSuperBlock; ++i) {
      const float code = static_cast<float>(scales[i / kSize]) * codes[i];
      xq += w[i] * x[i] * code;
      qq += w[i] * code * code;
    }
    return qq > 0 ? xq / qq : d;
  }
};

// x = d * scales[part] * codes[i] - dmin * minima[part]; codes from 0 to Hi, scales and minima from 0 to Most.
template <int Hi, int Parts, int Most>
class MinimumSuperBlock {
 public:
  static constexpr int kSize = kSuperBlock / Parts;
  float d = 0, dmin = 0;
  int scales[Parts] = {}, minima[Parts] = {};
  uint8_t codes[kSuperBlock] = {};

  // `weights` null: scale and minimum that each part's extremes give, and no search.
  MinimumSuperBlock(const float* x, const float* weights) {
    constexpr auto kOnes = [] {
      struct {
        float of[kSize];
      } ones{};
      for (float& one : ones.of) one = 1;
      return ones;
    }();
    ScaleAndMinimum wanted[Parts];
    float largest_scale = 0, largest_minimum = 0;
    for (int part = 0; part < Parts; ++part) {
      const float* w = weights ? weights + part * kSize : kOnes.of;
      wanted[part] = fit_affine<Hi, kSize>(x + part * kSize, w, true, weights != nullptr);
      if (wanted[part].scale > largest_scale) largest_scale = wanted[part].scale;
      if (-wanted[part].minimum > largest_minimum) largest_minimum = -wanted[part].minimum;
    }
    d = rounded_to_half(largest_scale / Most);
    dmin = rounded_to_half(largest_minimum / Most);
    const float error = choose(x, weights, wanted);
    if (!weights) return;
    MinimumSuperBlock again = *this;
    if (again.solve(x, weights) && again.choose(x, weights, wanted) < error) *this = again;
  }

 private:
  // Fills scales, minima and codes for the present d and dmin; the error of all parts.
  float choose(const float* x, const float* w, const ScaleAndMinimum* wanted) {
    float error = 0;
    for (int part = 0; part < Parts; ++part) {
      const float scale = clamped(rounded_integer(wanted[part].scale * inverse_of(d)), 0, Most);
      const float minimum = clamped(rounded_integer(-wanted[part].minimum * inverse_of(dmin)), 0, Most);
      scales[part] = static_cast<int>(scale);
      minima[part] = static_cast<int>(minimum);
      if (w) error += choose_neighbour(x + part * kSize, w + part * kSize, part);
      write_codes(x + part * kSize, part);
    }
    return error;
  }

  float choose_neighbour(const float* x, const float* w, int part) {
    const int scale = scales[part], minimum = minima[part];
    float best = error_with(x, w, scale, minimum);
    for (int s = scale - 1; s <= scale + 1; ++s)
      for (int m = minimum - 1; m <= minimum + 1; ++m) {
        if (s < 0 || s > Most || m < 0 || m > Most || (s == scale && m == minimum)) continue;
        if (const float trial = error_with(x, w, s, m); trial < best) {
          best = trial;
          scales[part] = s;
          minima[part] = m;
        }
      }
    return best;
  }

  float error_with(const float* x, const float* w, int scale, int minimum) const {
    const float step = d * static_cast<float>(scale), inverse = inverse_of(step), low = dmin * static_cast<float>(minimum);
    Lanes error{};
    for (int i = 0; i < kSize; i += 4) {
      const Lanes value = load_lanes(x + i) + low, off = value - step * IntegerCodes<0, Hi>::nearest(value * inverse);
      error += load_lanes(w + i) * off * off;
    }
    return sum_of(error);
  }

  void write_codes(const float* x, int part) {
    const float inverse = inverse_of(d * static_cast<float>(scales[part])), low = dmin * static_cast<float>(minima[part]);
    for (int i = 0; i < kSize; i += 4) {
      const Lanes code = IntegerCodes<0, Hi>::nearest((load_lanes(x + i) + low) * inverse);
      for (int lane = 0; lane < 4; ++lane) codes[part * kSize + i + lane] = static_cast<uint8_t>(code[lane]);
    }
  }

  // d and dmin of least error for the present integers and codes; false where they do not change or have no use.
  bool solve(const float* x, const float* w) {
    float aa = 0, ab = 0, bb = 0, ax = 0, bx = 0;
    for (int i = 0; i < kSuperBlock; ++i) {
      const float a = static_cast<float>(scales[i / kSize] * codes[i]), b = static_cast<float>(minima[i / kSize]);
      aa += w[i] * a * a;
      ab += w[i] * a * b;
      bb += w[i] * b * b;
      ax += w[i] * a * x[i];
      bx += w[i] * b * x[i];
    }
    const float determinant = aa * bb - ab * ab;
    float scale = aa > 0 ? ax / aa : 0, minimum = 0;
    if (determinant > 0) {
      scale = (ax * bb - bx * ab) / determinant;
      minimum = (ax * ab - bx * aa) / determinant;
    }
    scale = rounded_to_half(scale);
    minimum = rounded_to_half(minimum);
    if (!(scale > 0) || minimum < 0 || (scale == d && minimum == dmin)) return false;
    d = scale;
    dmin = minimum;
    return true;
  }
};

}  // namespace hyalite
