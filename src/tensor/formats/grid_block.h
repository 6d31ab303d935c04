// Blocks of 256 whose groups of 4 or 8 magnitudes are named together by an index into a grid (iq2, iq3). Parts share a scale
// d * multiplier(n), n from 0 to 15. For a scale the best entry of a group is found over the whole grid; the scale is fitted to the entries
// in turn.
#pragma once

#include "tensor/formats/encoder.h"
#include "tensor/formats/fit.h"

namespace hyalite {

// How a format names a group. Elements lie in an entry `bits` apart, lowest first.
struct GridSpec {
  const uint16_t* entries;
  int count;              // of entries
  int group, bits;        // elements of an entry; their distance
  const uint8_t* levels;  // by what an element says
  int level_count;
  bool even_signs;    // the number of minus signs of 8 elements is even
  float first, step;  // multiplier(n) = first + n * step
};

// One group of magnitudes against a grid. Costs of the two bytes of an entry are tabulated, so that an entry costs one sum.
template <const GridSpec& spec>
class GroupSearch {
 public:
  static constexpr int kPerByte = 8 / spec.bits;

  // The entry with the least sum of w * (x - scale * level)^2; x may be negative, where a sign had to be given up.
  static int best(const float* x, const float* w, float scale) {
    float low[256], high[256];
    tabulate(x, w, scale, low);
    tabulate(x + kPerByte, w + kPerByte, scale, high);
    int best = 0;
    float least = low[spec.entries[0] & 255] + high[spec.entries[0] >> 8];
    for (int i = 1; i < spec.count; ++i)
      if (const float cost = low[spec.entries[i] & 255] + high[spec.entries[i] >> 8]; cost < least) least = cost, best = i;
    return best;
  }

  static float level(int entry, int i) { return spec.levels[spec.entries[entry] >> i * spec.bits & ((1 << spec.bits) - 1) & 7]; }

 private:
  // Of every byte whose elements are levels; other bytes are in no entry.
  static void tabulate(const float* x, const float* w, float scale, float* costs) {
    float one[kPerByte][8];
    for (int i = 0; i < kPerByte; ++i)
      for (int l = 0; l < spec.level_count; ++l) {
        const float off = x[i] - scale * static_cast<float>(spec.levels[l]);
        one[i][l] = w[i] * off * off;
      }
    costs[0] = 0;
    int filled[256] = {0}, count = 1;
    for (int i = 0; i < kPerByte; ++i) {
      const int before = count;
      for (int l = spec.level_count; l-- > 0;)  // level 0 last: it replaces the sums that the others build on
        for (int f = 0; f < before; ++f) {
          const int byte = filled[f] | l << i * spec.bits;
          costs[byte] = costs[filled[f]] + one[i][l];
          if (l > 0) filled[count++] = byte;
        }
    }
  }
};

template <const GridSpec& spec, int Parts>
class GridSuperBlock {
 public:
  static constexpr int kSize = kSuperBlock / Parts, kGroups = kSuperBlock / spec.group;
  float d = 0;
  int scales[Parts] = {};
  uint16_t entries[kGroups] = {};
  uint8_t signs[kSuperBlock / 8] = {};

  GridSuperBlock(const float* x, const float* w) {
    float magnitudes[kSuperBlock], wanted[Parts], largest = 0;
    take_signs(x, w, magnitudes);
    for (int part = 0; part < Parts; ++part) {
      wanted[part] = fit_part(magnitudes + part * kSize, w + part * kSize, part);
      if (wanted[part] > largest) largest = wanted[part];
    }
    d = half_to_float(float_to_half(largest / multiplier(15)));
    choose(magnitudes, w, wanted);
    const float better = half_to_float(float_to_half(best_d(magnitudes, w)));
    if (better == d || !(better > 0)) return;
    GridSuperBlock again = *this;
    again.d = better;
    again.choose(magnitudes, w, wanted);
    if (again.error(magnitudes, w) < error(magnitudes, w)) *this = again;
  }

 private:
  using Search = GroupSearch<spec>;

  static constexpr float multiplier(int n) { return spec.first + static_cast<float>(n) * spec.step; }

  // Where the number of signs must be even, the value that costs least to be had with the wrong one gives its own up.
  void take_signs(const float* x, const float* w, float* magnitudes) {
    for (int octet = 0; octet < kSuperBlock / 8; ++octet) {
      int cheapest = 0;
      for (int i = 0; i < 8; ++i) {
        const int at = octet * 8 + i, least = octet * 8 + cheapest;
        magnitudes[at] = __builtin_fabsf(x[at]);
        if (x[at] < 0) signs[octet] |= static_cast<uint8_t>(1 << i);
        if (w[at] * x[at] * x[at] < w[least] * x[least] * x[least]) cheapest = i;
      }
      if (!spec.even_signs || !__builtin_parity(signs[octet])) continue;
      signs[octet] ^= static_cast<uint8_t>(1 << cheapest);
      magnitudes[octet * 8 + cheapest] = -magnitudes[octet * 8 + cheapest];
    }
  }

  void search_part(const float* x, const float* w, int part, float scale) {
    for (int g = 0; g < kSize / spec.group; ++g)
      entries[part * kSize / spec.group + g] = static_cast<uint16_t>(Search::best(x + g * spec.group, w + g * spec.group, scale));
  }

  fit_detail::ScaleSums sums_of(const float* x, const float* w, int part) const {
    fit_detail::ScaleSums sums{0, 0};
    for (int i = 0; i < kSize; ++i) {
      const float level = Search::level(entries[(part * kSize + i) / spec.group], i % spec.group);
      sums.xq += w[i] * x[i] * level;
      sums.qq += w[i] * level * level;
    }
    return sums;
  }

  // The scale of a part, from the best of a few beginnings.
  float fit_part(const float* x, const float* w, int part) {
    const float largest = extreme_of<kSize>(x);
    if (largest == 0) return 0;
    const float top = __builtin_fabsf(largest) / spec.levels[spec.level_count - 1];
    fit_detail::ScaleSums best{0, 0};
    for (float share : {0.55f, 0.7f, 0.85f, 1.0f}) {
      search_part(x, w, part, top * share);
      const auto sums = sums_of(x, w, part);
      if (sums.xq > 0 && sums.gain() > best.gain()) best = sums;
    }
    if (best.gain() == 0) return top;
    for (int round = 0; round < 2; ++round) {
      search_part(x, w, part, best.xq / best.qq);
      const auto sums = sums_of(x, w, part);
      if (!(sums.xq > 0 && sums.gain() > best.gain())) break;
      best = sums;
    }
    return best.xq / best.qq;
  }

  // The multiplier that is wanted, or a neighbour of less error.
  void choose(const float* x, const float* w, const float* wanted) {
    for (int part = 0; part < Parts; ++part) {
      const int middle = truncated_code(d > 0 ? (wanted[part] / d - spec.first) / spec.step + 0.5f : 0, 15);
      int best = middle;
      float least = error_with(x, w, part, middle);
      for (int n : {middle - 1, middle + 1}) {
        if (n < 0 || n > 15) continue;
        if (const float trial = error_with(x, w, part, n); trial < least) least = trial, best = n;
      }
      if (best != scales[part]) error_with(x, w, part, best);
    }
  }

  // Gives a part this multiplier and its best entries.
  float error_with(const float* x, const float* w, int part, int multiplier_number) {
    scales[part] = multiplier_number;
    search_part(x + part * kSize, w + part * kSize, part, d * multiplier(multiplier_number));
    return error(x, w, part * kSize, kSize);
  }

  float value(int i) const { return multiplier(scales[i / kSize]) * Search::level(entries[i / spec.group], i % spec.group); }

  float best_d(const float* x, const float* w) const {
    float xq = 0, qq = 0;
    for (int i = 0; i < kSuperBlock; ++i) {
      xq += w[i] * x[i] * value(i);
      qq += w[i] * value(i) * value(i);
    }
    return qq > 0 ? xq / qq : d;
  }

  float error(const float* x, const float* w, int first = 0, int count = kSuperBlock) const {
    float sum = 0;
    for (int i = first; i < first + count; ++i) {
      const float off = x[i] - d * value(i);
      sum += w[i] * off * off;
    }
    return sum;
  }
};

// A grid has no code that is simply the nearest: without weights all values count alike.
template <void (*encode)(const float*, const float*, uint8_t*)>
void encode_unweighted(const float* x, uint8_t* block) {
  float ones[kSuperBlock];
  for (float& one : ones) one = 1;
  encode(x, ones, block);
}

}  // namespace hyalite
