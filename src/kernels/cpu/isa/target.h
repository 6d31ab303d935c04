// How one kernel body becomes one function per instruction set: a source file includes an ISA's vector header, opens that target and
// its namespace, and includes the body (an .inc file written with the names below only):
//
//   #include "kernels/cpu/isa/avx512.h"
//   HYALITE_TARGET_BEGIN(HYALITE_AVX512)
//   namespace hyalite::avx512 {
//   #include "kernels/cpu/attention/attention.inc"
//   }
//   HYALITE_TARGET_END
//
// No per-file -m flags and no std templates below a target: the linker keeps one copy of an inline function, and it must not be one
// that only some machines can run. Functions leave a target through constant tables of pointers, never through a shared declaration.
//
// Names that scalar.h, avx2.h and avx512.h define alike, so that bodies are written once:
//   F32, I32     kLanes floats or 32-bit integers, the register width of the target (1, 8, 16)
//   F32x16       sixteen floats whatever the target, in kParts = 16 / kLanes registers (wide.inc): what determinism needs, because a
//   I32x16       sum over lanes then has one order for all targets
//   exp, exp_to_1, silu, gelu_tanh (math.inc)
// Every function gives the same bits on every target: fma rounds once, max(a, b) is a > b ? a : b, conversions round to nearest even.
#pragma once

#define HYALITE_INLINE inline __attribute__((always_inline))

// HYALITE_UNROLL_PARTS: over the registers of sixteen lanes, where the body is long. With one lane that stays a loop, since sixteen copies
// are no faster and take half a minute to compile.
#define HYALITE_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define HYALITE_TARGET_BEGIN(features) HYALITE_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define HYALITE_TARGET_END _Pragma("clang attribute pop")
#define HYALITE_UNROLL _Pragma("clang loop unroll(full)")
#define HYALITE_UNROLL_PARTS HYALITE_UNROLL
#else
#define HYALITE_TARGET_BEGIN(features) _Pragma("GCC push_options") HYALITE_PRAGMA(GCC target(features))
#define HYALITE_TARGET_END _Pragma("GCC pop_options")
#define HYALITE_UNROLL _Pragma("GCC unroll 16")
#define HYALITE_UNROLL_PARTS _Pragma("GCC unroll (kLanes == 1 ? 1 : 16)")
#endif

// Makes the compiler forget where a value came from, at no cost: for loops in which it would rather spill than load or add in order.
#define HYALITE_OPAQUE_POINTER(p) __asm__("" : "+r"(p))
#define HYALITE_OPAQUE_VECTOR(v) __asm__("" : "+x"(v))

#define HYALITE_AVX2 "avx2,fma,f16c"
#define HYALITE_AVXVNNI "avx2,fma,f16c,avxvnni"
#define HYALITE_AVX512 "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq"
#define HYALITE_AVX512VNNI "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"
#define HYALITE_AMX "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,amx-tile,amx-int8,amx-bf16"
#define HYALITE_AVX512BF16 "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512bf16"
