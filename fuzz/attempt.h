// What every target does with its input.
#pragma once

#include <utility>

#include "base/error.h"

namespace hyalite {

// Calls `use`. A refusal of the input is what hostile bytes should meet; a defect of Hyalite goes on to the fuzzer.
template <class Use>
void attempt(Use&& use) {
  try {
    std::forward<Use>(use)();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) throw;
  }
}

}  // namespace hyalite
