// The contract of a kernel: one constant row per variant, listed in <device>/variants.inc in order of preference.
//
// Kernels are pure: pointers and sizes in, numbers out. No allocation, lock, system call, global state or CPU query inside run().
// Determinism contract: the value of each output element depends only on that row's inputs and the operand shapes, never on T, on the
// number of threads or on the phase split: accumulation over K is sequential per output row, in one order for every instruction set. A
// variant that rounds_alone keeps all of it but the last part. A provider's variant (one with library_missing) may allocate, and
// depends on T where it says so (depends_on_rows).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/machine.h"
#include "ops/op_spec.h"

namespace hyalite {

// How a weight lies in memory for the kernels that multiply by it. One row per format in cpu/layouts.inc; shared by all instruction sets,
// so that an artifact packed on one machine runs on another. Pure functions, any thread.
struct PackedLayout {
  std::string_view kind;  // "rows16"; a weight node's attribute `layout` asks for it
  DType dtype;            // format of the source
  // Bytes of a packed [rows, columns] weight; columns is a multiple of the format's block.
  size_t (*packed_bytes)(int64_t rows, int64_t columns);
  // Writes this thread's share of rows [first, first + source.rows()) of `packed` (64-byte aligned, packed_bytes(rows) long); `first` is a
  // multiple of 16, and so is the end but for the last rows. Exact: unpack_row gives the bits of FormatSpec::decode.
  void (*pack)(const TensorView& source, int64_t first, int64_t rows, uint8_t* packed, WorkRange range);
  void (*unpack_row)(const uint8_t* packed, int64_t rows, int64_t columns, int64_t row, float* out);
};

// nullptr where a format has no layout of that kind.
const PackedLayout* packed_layout_of(DType dtype, std::string_view kind);
std::vector<DType> packed_formats(std::string_view kind);  // those that have one, in the order of cpu/layouts.inc

struct KernelVariant {
  std::string_view name;  // "matmul.q4_1.avx512vnni"; file, plan text, profile line and test use the same word
  std::string_view op;
  std::string_view provider;  // "hyalite", or the library that multiplies: "onednn"
  uint32_t needs;             // CpuFeature mask
  int phases;                 // run() is called for phase 0 .. phases-1 with a barrier between
  std::string_view layout;    // kind of packed layout that weight matrices arrive in; empty: as in the file
  // Largest |y - y_reference| allowed by the conformance tests, relative to the root mean square of y_reference of the tensor.
  double error_bound;
  // Why it cannot solve the problem; empty where it can. Looks at types, attributes and cache spec, not at the machine.
  std::string (*refuses)(const Problem& problem);
  // Predicted seconds on all cores of the machine.
  double (*seconds)(const Problem& problem, const Machine& machine);
  // Scratch shared by all threads of the step, for the largest step. Null: none.
  size_t (*workspace)(const Problem& problem);
  void (*run)(const OpArgs& args, WorkRange range);
  // Rounds otherwise than other instruction sets do, where the problem (activations = "bf16") or fast numerics allow it: its bits are not
  // theirs.
  bool rounds_alone = false;
  // How it takes the rows of a step of this size, in words: part of the reason that a plan gives. Null: there is nothing to say.
  std::string (*how)(const Problem& problem) = nullptr;
  // A row's bits depend on how many rows are multiplied at once: only fast numerics allow it.
  bool depends_on_rows = false;
  // What its provider's library lacks on this machine, "needs ..."; empty where it is there. Null: it has no such library. May open it.
  std::string (*library_missing)() = nullptr;
};

// What the variant needs that is not here, of instructions and libraries: "needs avx512". Empty: nothing.
std::string lacks(const KernelVariant& variant, uint32_t features);

// Every CPU variant in order of preference, without the reference ones.
std::span<const KernelVariant* const> cpu_variants();
// The op's reference evaluation as a variant, "rms_norm.reference". Null for ops that are never steps (weight, constant, convert).
const KernelVariant* reference_variant(std::string_view op);
// By name among both; nullptr where there is none.
const KernelVariant* find_variant(std::string_view name);

}  // namespace hyalite
