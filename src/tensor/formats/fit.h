// Least squares fits of a block's scale. Values x are met by scale * code (+ minimum) with codes of a fixed set; an error counts weights w.
// For given codes the best scale is linear algebra; so a fit tries the codes that a range of scales rounds to and keeps the best pair.
#pragma once

#include <cstring>

#include "tensor/formats/format.h"

namespace hyalite {

// Four lanes, which every machine of this kind has. Sums run in a fixed order.
using Lanes = float __attribute__((vector_size(16)));

inline Lanes load_lanes(const float* at) {
  Lanes lanes;
  std::memcpy(&lanes, at, sizeof lanes);
  return lanes;
}
inline Lanes all_lanes(float value) {
  return Lanes{value, value, value, value};
}
inline float sum_of(Lanes lanes) {
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}
// To the nearest integer, halves to even. REQUIRES: magnitudes below 2^22.
inline Lanes rounded(Lanes value) {
  return (value + 0x1.8p23f) - 0x1.8p23f;
}

// Codes that are the integers from Lo to Hi. A fit puts the value of largest magnitude at `extreme`.
template <int Lo, int Hi>
struct IntegerCodes {
  static constexpr float extreme = -Lo > Hi ? Lo : Hi;
  static Lanes nearest(Lanes x) {
    const Lanes low = all_lanes(Lo), high = all_lanes(Hi);
    x = x > low ? x : low;  // takes NaN too
    return rounded(x < high ? x : high);
  }
};

// The code book of iq4_nl and iq4_xs.
struct Iq4Codes {
  static constexpr float extreme = kIq4Values[0];
  static Lanes nearest(Lanes x) {
    Lanes code = all_lanes(kIq4Values[0]);
    for (int i = 1; i < 16; ++i) {
      const Lanes middle = all_lanes(0.5f * static_cast<float>(kIq4Values[i - 1] + kIq4Values[i]));
      code = x > middle ? all_lanes(kIq4Values[i]) : code;
    }
    return code;
  }
  static uint8_t index(float code) {
    for (int i = 0; i < 15; ++i)
      if (code <= static_cast<float>(kIq4Values[i])) return static_cast<uint8_t>(i);
    return 15;
  }
};

// The value of largest magnitude, with its sign.
template <int N>
float extreme_of(const float* x) {
  float extreme = 0;
  for (int i = 0; i < N; ++i)
    if (__builtin_fabsf(x[i]) > __builtin_fabsf(extreme)) extreme = x[i];
  return extreme;
}

template <class Codes, int N>
void codes_of(const float* x, float inverse, float* codes) {
  for (int i = 0; i < N; i += 4) {
    const Lanes code = Codes::nearest(load_lanes(x + i) * inverse);
    std::memcpy(codes + i, &code, sizeof code);
  }
}

// The range of first scales: the extreme meets the extreme code times 1 + step * `width` for steps from -count to count.
struct Steps {
  int count;
  float width;
};

namespace fit_detail {

struct ScaleSums {
  float xq, qq;
  // By how much scale xq / qq reduces the error of scale 0.
  float gain() const { return qq > 0 ? xq * xq / qq : 0; }
};

template <class Codes, int N>
ScaleSums sums_at(const float* x, const float* w, float inverse) {
  Lanes xq{}, qq{};
  for (int i = 0; i < N; i += 4) {
    const Lanes value = load_lanes(x + i), code = Codes::nearest(value * inverse), weighted = load_lanes(w + i) * code;
    xq += weighted * value;
    qq += weighted * code;
  }
  return {sum_of(xq), sum_of(qq)};
}

}  // namespace fit_detail

// The scale of x = scale * code; 0 where all values are 0.
template <class Codes, int N>
float fit_scale(const float* x, const float* w, Steps steps) {
  const float extreme = extreme_of<N>(x);
  if (extreme == 0) return 0;
  fit_detail::ScaleSums best{0, 0};
  for (int step = -steps.count; step <= steps.count; ++step) {
    const auto sums = fit_detail::sums_at<Codes, N>(x, w, Codes::extreme * (1 + static_cast<float>(step) * steps.width) / extreme);
    if (sums.gain() > best.gain()) best = sums;
  }
  if (best.gain() == 0) return extreme / Codes::extreme;  // weights of 0
  for (int round = 0; round < 2; ++round) {
    const auto sums = fit_detail::sums_at<Codes, N>(x, w, best.qq / best.xq);
    if (!(sums.gain() > best.gain())) break;
    best = sums;
  }
  return best.xq / best.qq;
}

// The scale of a block of 256 whose codes are -1, 0 and 1. It decides which values become 0, so the range of first scales is wide.
inline float fit_ternary(const float* x, const float* w) {
  const float largest = __builtin_fabsf(extreme_of<kSuperBlock>(x));
  if (largest == 0) return 0;
  fit_detail::ScaleSums best{0, 0};
  for (float factor = 1; factor < 8; factor *= 1.08f) {
    const auto sums = fit_detail::sums_at<IntegerCodes<-1, 1>, kSuperBlock>(x, w, factor / largest);
    if (sums.gain() > best.gain()) best = sums;
  }
  return best.gain() > 0 ? best.xq / best.qq : largest;
}

// Digits 0, 1, 2 of values -1, 0, 1 times the scale, halves away from zero.
inline void ternary_digits(const float* x, float inverse, uint8_t* digits) {
  for (int i = 0; i < kSuperBlock; ++i) {
    const float value = x[i] * inverse;
    digits[i] = static_cast<uint8_t>(1 + (value >= 0.5f) - (value <= -0.5f));
  }
}

// x = scale * code + minimum.
struct ScaleAndMinimum {
  float scale = 0, minimum = 0;
};

namespace fit_detail {

// What does not depend on the codes: sums of w, w * x.
struct AffineSums {
  float w = 0, wx = 0;
};

template <int Hi, int N>
struct AffineTrial {
  ScaleAndMinimum fit;
  float gain = 0;  // reduction of the error of 0 everywhere

  AffineTrial(const float* x, const float* w, AffineSums fixed, float minimum, float inverse, bool below_zero) {
    Lanes wq{}, wqq{}, wxq{};
    for (int i = 0; i < N; i += 4) {
      const Lanes value = load_lanes(x + i), code = IntegerCodes<0, Hi>::nearest((value - minimum) * inverse);
      const Lanes weighted = load_lanes(w + i) * code;
      wq += weighted;
      wqq += weighted * code;
      wxq += weighted * value;
    }
    solve(fixed, sum_of(wq), sum_of(wqq), sum_of(wxq), below_zero);
  }

 private:
  void solve(AffineSums fixed, float wq, float wqq, float wxq, bool below_zero) {
    const float determinant = fixed.w * wqq - wq * wq;
    if (!(determinant > 0)) return;
    fit.scale = (fixed.w * wxq - wq * fixed.wx) / determinant;
    fit.minimum = (fixed.wx - fit.scale * wq) / fixed.w;
    if (below_zero && fit.minimum > 0) fit = {wxq / wqq, 0};
    gain = fit.scale * (2 * wxq - fit.scale * wqq) + fit.minimum * (2 * fixed.wx - 2 * fit.scale * wq - fit.minimum * fixed.w);
  }
};

}  // namespace fit_detail

// Codes from 0 to Hi. With `below_zero` the minimum is at most 0.
template <int Hi, int N>
ScaleAndMinimum fit_affine(const float* x, const float* w, bool below_zero, bool search) {
  float low = x[0], high = x[0];
  fit_detail::AffineSums fixed;
  for (int i = 0; i < N; ++i) {
    if (x[i] < low) low = x[i];
    if (x[i] > high) high = x[i];
    fixed.w += w[i];
    fixed.wx += w[i] * x[i];
  }
  if (below_zero && low > 0) low = 0;
  if (!(high > low)) return {0, low};
  ScaleAndMinimum best{(high - low) / Hi, low};
  if (!search) return best;
  float gain = 0;
  auto attempt = [&](float minimum, float inverse) {
    const fit_detail::AffineTrial<Hi, N> trial(x, w, fixed, minimum, inverse, below_zero);
    const bool better = trial.gain > gain && trial.fit.scale > 0;
    if (better) {
      gain = trial.gain;
      best = trial.fit;
    }
    return better;
  };
  constexpr int kSteps = 10;
  for (int step = -kSteps; step <= kSteps; ++step) attempt(low, (Hi + 0.1f * static_cast<float>(step)) / (high - low));
  for (int round = 0; round < 2 && attempt(best.minimum, 1 / best.scale); ++round) continue;
  return best;
}

}  // namespace hyalite
