// This machine and this build as JSON, as every measurement carries them.
#pragma once

#include "base/json.h"
#include "device/machine.h"

namespace hyalite {

Json machine_to_json(const Machine& machine);
Json build_to_json();  // version, compiler, build type

}  // namespace hyalite
