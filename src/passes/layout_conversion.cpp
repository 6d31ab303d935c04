// Sets how each weight matrix lies in memory. `rows16`: 16 outputs side by side, which kernels multiply without shuffles; `planes16`: the
// same in a coarse and a fine plane, for lm_head; `rows`: as in the file, for tables that are only looked up. A table that is both looked
// up and multiplied by (tied embeddings) is kept once, packed: a lookup can read that, two copies would double the largest weight.
#include "passes/pass.h"
#include "passes/patterns.h"

namespace hyalite {
namespace {

void choose(Rewriter& rw, NodeId id, Numerics numerics) {
  ValueId value = rw.graph().result(id);
  if (rank_of(rw.graph(), value) != 2 || rw.graph().node(id).attrs.has("layout")) return;
  int multiplied = 0, looked_up = 0;
  const char* layout = "rows16";
  for (NodeId user : rw.users(value)) {
    const OpSpec& op = *rw.graph().node(user).op;
    if (op.name != "convert") ++(is_linear(op) ? multiplied : looked_up);
    if (op.name == "lm_head") layout = "planes16";
  }
  bool packed = multiplied && numerics != Numerics::reference;
  if (packed)
    rw.matched(id, layout + std::string(looked_up ? ", which the lookup reads too" : " for the kernels that multiply by it"));
  else
    rw.refused(id, multiplied ? "rows: reference numerics read weights as they lie" : "rows: nothing multiplies by it as it is");
  rw.set_attr(id, "layout", std::string(packed ? layout : "rows"));
}

void run(Rewriter& rw, const PassContext& context) {
  for (std::string_view op : {"weight", "convert"})
    for (NodeId id : nodes_named(rw.graph(), op)) choose(rw, id, context.target.numerics);
}

}  // namespace

extern const Pass pass_layout_conversion;
const Pass pass_layout_conversion{"layout-conversion", "Chooses how each weight matrix lies in memory.", run};

}  // namespace hyalite
