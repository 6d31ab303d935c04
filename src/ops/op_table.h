// Declares `op_<name>` for every row of ops.inc. Included by the files that define them and by ops.cpp; everything else uses find_op.
#pragma once

#include "ops/op_spec.h"

namespace hyalite {

#define OP(name) extern const OpSpec op_##name;
#include "ops/ops.inc"
#undef OP

}  // namespace hyalite
