// What somebody who asks for many threads should know of a machine.
#pragma once

#include <string>

#include "device/machine.h"

namespace hyalite {

// That so many threads share cores, or CPUs. Empty where each has a core of its own.
std::string remark_on_threads(int threads, const Machine& machine);

}  // namespace hyalite
