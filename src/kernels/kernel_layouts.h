// Declares `layout_<format>` for every row of cpu/layouts.inc. For the file that defines them and the registry; others use
// packed_layout_of.
#pragma once

#include "kernels/kernel_variant.h"

namespace hyalite {

#define LAYOUT(name) extern const PackedLayout layout_##name;
#include "kernels/cpu/layouts.inc"
#undef LAYOUT

}  // namespace hyalite
