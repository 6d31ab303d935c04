#include "device/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "device/machine.h"

namespace hyalite {
namespace {

constexpr uint32_t bit(int n) {
  return 1u << n;
}

bool has_all(uint32_t word, uint32_t bits) {
  return (word & bits) == bits;
}

}  // namespace

#if defined(__x86_64__)
CpuidWords read_cpuid() {
  CpuidWords words;
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d)) words.leaf1_ecx = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    words.leaf7_ebx = b;
    words.leaf7_ecx = c;
    words.leaf7_edx = d;
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) words.leaf7_1_eax = a;
  }
  constexpr uint32_t osxsave = bit(27);
  if (has_all(words.leaf1_ecx, osxsave)) {
    uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    words.xcr0 = static_cast<uint64_t>(high) << 32 | low;
  }
  return words;
}
bool may_use_tiles() {
  constexpr int request_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}
#else
CpuidWords read_cpuid() {
  return {};
}
bool may_use_tiles() {
  return false;
}
#endif

uint32_t features_from(const CpuidWords& words) {
  constexpr uint32_t fma = bit(12), avx = bit(28), f16c = bit(29), avx2 = bit(5);
  constexpr uint32_t avx512_f = bit(16), avx512_dq = bit(17), avx512_bw = bit(30), avx512_vl = bit(31);
  constexpr uint32_t avx512_vnni = bit(11), avx_vnni = bit(4), avx512_bf16 = bit(5), amx = bit(24) | bit(25), amx_bf16 = bit(22);
  constexpr uint64_t ymm_state = 0x06, zmm_state = 0xe6, tile_state = 0x60000;

  uint32_t mask = 0;
  const bool saves_ymm = (words.xcr0 & ymm_state) == ymm_state, saves_zmm = (words.xcr0 & zmm_state) == zmm_state;
  if (!saves_ymm || !has_all(words.leaf1_ecx, fma | avx | f16c) || !has_all(words.leaf7_ebx, avx2)) return mask;
  mask |= kAvx2;
  if (has_all(words.leaf7_1_eax, avx_vnni)) mask |= kAvxVnni;
  if (!saves_zmm || !has_all(words.leaf7_ebx, avx512_f | avx512_dq | avx512_bw | avx512_vl)) return mask;
  mask |= kAvx512;
  if (has_all(words.leaf7_ecx, avx512_vnni)) mask |= kAvx512Vnni;
  if (has_all(words.leaf7_1_eax, avx512_bf16)) mask |= kAvx512Bf16;
  if ((mask & kAvx512Vnni) && has_all(words.leaf7_edx, amx) && (words.xcr0 & tile_state) == tile_state) mask |= kAmxInt8;
  if ((mask & kAmxInt8) && has_all(words.leaf7_edx, amx_bf16)) mask |= kAmxBf16;
  return mask;
}

}  // namespace hyalite
