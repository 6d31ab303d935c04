#include "ops/op_table.h"

namespace hyalite {
namespace {

constexpr OperandSpec kResults[] = {{"w", ValueType::Kind::tensor}};
constexpr AttrSpec kAttrs[] = {{"name", "text", true}, {"layout", "text", false}};

}  // namespace

constinit const OpSpec op_weight{
    .name = "weight",
    .summary = "The tensor of the model that is called `name`, in the format it is stored in; `layout` says how a kernel wants it packed.",
    .results = kResults,
    .attrs = kAttrs,
};

}  // namespace hyalite
