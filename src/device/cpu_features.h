// Which instruction sets this CPU and its operating system support, from CPUID and XGETBV. Only detect_machine() asks.
#pragma once

#include <cstdint>

namespace hyalite {

// The registers that decide. All zero on CPUs other than x86-64.
struct CpuidWords {
  uint32_t leaf1_ecx = 0;
  uint32_t leaf7_ebx = 0, leaf7_ecx = 0, leaf7_edx = 0;
  uint32_t leaf7_1_eax = 0;
  uint64_t xcr0 = 0;  // register state that the operating system saves; 0 where it says nothing
};

CpuidWords read_cpuid();

// CpuFeature mask. A set counts only where the CPU has it, the operating system saves its registers, and the sets below it are there too.
// Bit positions: Intel SDM volume 2A (CPUID) and volume 1 chapter 13 (XCR0).
uint32_t features_from(const CpuidWords& words);

// Linux lets a process use tile registers once it has asked; threads that start later may too. False where it refuses.
bool may_use_tiles();

}  // namespace hyalite
