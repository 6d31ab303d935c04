#include "device/peak_loops.h"

#include <span>

#include "device/machine.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define HYALITE_TARGET(sets) __attribute__((target(sets)))
#endif

namespace hyalite {
namespace {

// Independent chains that hide the latency of the units concerned: 4 cycles at two a cycle; int8 dot products may take 5.
constexpr int chains = 8, dot_chains = 12;

uint32_t int8_scalar(int64_t rounds, uint32_t seed) {
  int32_t sum[chains] = {};
  volatile int32_t factors[2] = {static_cast<int32_t>((seed | 1) & 0x7f), static_cast<int32_t>((seed >> 8 | 1) & 0x7f)};
  for (int64_t i = 0; i < rounds; ++i) {
    const int32_t x = factors[0], y = factors[1];
    for (int32_t& s : sum) s = static_cast<int32_t>(static_cast<uint32_t>(s) + static_cast<uint32_t>(x * y));
  }
  uint32_t total = 0;
  for (const int32_t s : sum) total += static_cast<uint32_t>(s);
  return total;
}

uint32_t f32_scalar(int64_t rounds, uint32_t seed) {
  const float x = 1.0f / static_cast<float>(seed | 1), y = static_cast<float>(seed & 0xff);
  float sum[chains] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int64_t i = 0; i < rounds; ++i) {
    for (float& s : sum) s = s * x + y;
  }
  float total = 0;
  for (const float s : sum) total += s;
  return static_cast<uint32_t>(static_cast<int32_t>(total));
}

#if defined(__x86_64__)
HYALITE_TARGET("avx2") uint32_t int8_avx2(int64_t rounds, uint32_t seed) {
  const __m256i x = _mm256_set1_epi32(static_cast<int>(seed & 0x01010101)), y = _mm256_set1_epi32(static_cast<int>(seed & 0x03030303));
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i a0 = x, a1 = x, a2 = x, a3 = x, a4 = x, a5 = x, a6 = x, a7 = x;
  const auto step = [&](__m256i sum)
                        HYALITE_TARGET("avx2") { return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(sum, y), ones)); };
  for (int64_t i = 0; i < rounds; ++i) {
    a0 = step(a0), a1 = step(a1), a2 = step(a2), a3 = step(a3);
    a4 = step(a4), a5 = step(a5), a6 = step(a6), a7 = step(a7);
  }
  const __m256i all = _mm256_xor_si256(_mm256_xor_si256(_mm256_xor_si256(a0, a1), _mm256_xor_si256(a2, a3)),
                                       _mm256_xor_si256(_mm256_xor_si256(a4, a5), _mm256_xor_si256(a6, a7)));
  return static_cast<uint32_t>(_mm256_cvtsi256_si32(all));
}

HYALITE_TARGET("avx512f,avx512vnni") uint32_t int8_avx512vnni(int64_t rounds, uint32_t seed) {
  const __m512i x = _mm512_set1_epi32(static_cast<int>(seed)), y = _mm512_set1_epi32(static_cast<int>(seed >> 1));
  __m512i a0 = x, a1 = x, a2 = x, a3 = x, a4 = x, a5 = x, a6 = x, a7 = x, a8 = x, a9 = x, a10 = x, a11 = x;
  for (int64_t i = 0; i < rounds; ++i) {
    a0 = _mm512_dpbusd_epi32(a0, x, y), a1 = _mm512_dpbusd_epi32(a1, x, y), a2 = _mm512_dpbusd_epi32(a2, x, y);
    a3 = _mm512_dpbusd_epi32(a3, x, y), a4 = _mm512_dpbusd_epi32(a4, x, y), a5 = _mm512_dpbusd_epi32(a5, x, y);
    a6 = _mm512_dpbusd_epi32(a6, x, y), a7 = _mm512_dpbusd_epi32(a7, x, y), a8 = _mm512_dpbusd_epi32(a8, x, y);
    a9 = _mm512_dpbusd_epi32(a9, x, y), a10 = _mm512_dpbusd_epi32(a10, x, y), a11 = _mm512_dpbusd_epi32(a11, x, y);
    asm volatile(""
                 : "+v"(a0), "+v"(a1), "+v"(a2), "+v"(a3), "+v"(a4), "+v"(a5), "+v"(a6), "+v"(a7), "+v"(a8), "+v"(a9), "+v"(a10),
                   "+v"(a11));
  }
  const __m512i low = _mm512_xor_si512(_mm512_xor_si512(_mm512_xor_si512(a0, a1), _mm512_xor_si512(a2, a3)), _mm512_xor_si512(a4, a5));
  const __m512i high = _mm512_xor_si512(_mm512_xor_si512(_mm512_xor_si512(a6, a7), _mm512_xor_si512(a8, a9)), _mm512_xor_si512(a10, a11));
  return static_cast<uint32_t>(_mm512_cvtsi512_si32(_mm512_xor_si512(low, high)));
}

HYALITE_TARGET("avx2,fma") uint32_t f32_avx2(int64_t rounds, uint32_t seed) {
  const __m256 x = _mm256_set1_ps(1.0f / static_cast<float>(seed | 1)), y = _mm256_set1_ps(static_cast<float>(seed & 0xff));
  __m256 a0 = x, a1 = y, a2 = x, a3 = y, a4 = x, a5 = y, a6 = x, a7 = y;
  for (int64_t i = 0; i < rounds; ++i) {
    a0 = _mm256_fmadd_ps(a0, x, y), a1 = _mm256_fmadd_ps(a1, x, y), a2 = _mm256_fmadd_ps(a2, x, y), a3 = _mm256_fmadd_ps(a3, x, y);
    a4 = _mm256_fmadd_ps(a4, x, y), a5 = _mm256_fmadd_ps(a5, x, y), a6 = _mm256_fmadd_ps(a6, x, y), a7 = _mm256_fmadd_ps(a7, x, y);
    asm volatile("" : "+x"(a0), "+x"(a1), "+x"(a2), "+x"(a3), "+x"(a4), "+x"(a5), "+x"(a6), "+x"(a7));
  }
  const __m256 all = _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(a0, a1), _mm256_add_ps(a2, a3)),
                                   _mm256_add_ps(_mm256_add_ps(a4, a5), _mm256_add_ps(a6, a7)));
  return static_cast<uint32_t>(static_cast<int32_t>(_mm256_cvtss_f32(all)));
}

HYALITE_TARGET("avx512f") uint32_t f32_avx512(int64_t rounds, uint32_t seed) {
  const __m512 x = _mm512_set1_ps(1.0f / static_cast<float>(seed | 1)), y = _mm512_set1_ps(static_cast<float>(seed & 0xff));
  __m512 a0 = x, a1 = y, a2 = x, a3 = y, a4 = x, a5 = y, a6 = x, a7 = y;
  for (int64_t i = 0; i < rounds; ++i) {
    a0 = _mm512_fmadd_ps(a0, x, y), a1 = _mm512_fmadd_ps(a1, x, y), a2 = _mm512_fmadd_ps(a2, x, y), a3 = _mm512_fmadd_ps(a3, x, y);
    a4 = _mm512_fmadd_ps(a4, x, y), a5 = _mm512_fmadd_ps(a5, x, y), a6 = _mm512_fmadd_ps(a6, x, y), a7 = _mm512_fmadd_ps(a7, x, y);
    asm volatile("" : "+v"(a0), "+v"(a1), "+v"(a2), "+v"(a3), "+v"(a4), "+v"(a5), "+v"(a6), "+v"(a7));
  }
  const __m512 all = _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(a0, a1), _mm512_add_ps(a2, a3)),
                                   _mm512_add_ps(_mm512_add_ps(a4, a5), _mm512_add_ps(a6, a7)));
  return static_cast<uint32_t>(static_cast<int32_t>(_mm512_cvtss_f32(all)));
}
#endif

// Fastest first; the last one needs nothing.
constexpr PeakLoop int8_loops[] = {
#if defined(__x86_64__)
    {kAvx512 | kAvx512Vnni, dot_chains * 64 * 2, int8_avx512vnni},
    {kAvx2, chains * 32 * 2, int8_avx2},
#endif
    {0, chains * 2, int8_scalar},
};
constexpr PeakLoop f32_loops[] = {
#if defined(__x86_64__)
    {kAvx512, chains * 16 * 2, f32_avx512},
    {kAvx2, chains * 8 * 2, f32_avx2},
#endif
    {0, chains * 2, f32_scalar},
};

const PeakLoop& first_allowed(std::span<const PeakLoop> loops, uint32_t features) {
  for (const PeakLoop& loop : loops) {
    if ((loop.needs & features) == loop.needs) return loop;
  }
  return loops.back();
}

}  // namespace

const PeakLoop& int8_peak_loop(uint32_t features) {
  return first_allowed(int8_loops, features);
}
const PeakLoop& f32_peak_loop(uint32_t features) {
  return first_allowed(f32_loops, features);
}

uint64_t read_stream(const uint8_t* data, size_t bytes) {
  // Baseline vectors of 16 bytes keep up with any memory; four sums keep additions off the critical path.
  using Vector = uint64_t __attribute__((vector_size(16)));
  const auto* at = reinterpret_cast<const Vector*>(data);
  Vector a{}, b{}, c{}, d{};
  for (size_t i = 0; i < bytes / sizeof(Vector); i += 4) {
    a += at[i], b += at[i + 1], c += at[i + 2], d += at[i + 3];
  }
  const Vector all = (a + b) + (c + d);
  return all[0] + all[1];
}

}  // namespace hyalite
