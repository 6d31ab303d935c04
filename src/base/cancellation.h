// How long work hears that it should stop: a flag that someone else sets, looked at where stopping is safe.
#pragma once

#include <atomic>

#include "base/error.h"

namespace hyalite {

// Throws Error{cancelled} where the flag, which may be null, is set.
inline void throw_if_set(const std::atomic<bool>* cancel) {
  if (cancel && cancel->load(std::memory_order_relaxed)) throw Error(ErrorCode::cancelled, "", "interrupted");
}

}  // namespace hyalite
