// One logical graph becomes two, @prefill (any tokens of any sequences) and @decode (one token of each sequence), and attention becomes
// what it does to the cache: append this step's keys and values, then attend over pages.
#include "passes/pass.h"
#include "passes/patterns.h"

namespace hyalite {
namespace {

constexpr std::string_view kModes[] = {"prefill", "decode"};

void lower(Rewriter& rw, NodeId attention, const OpSpec& paged) {
  const Node node = rw.graph().node(attention);  // a copy: nodes move when one is added
  const std::string& path = node.from.path;
  ValueId q = node.operands[0], k = node.operands[1], v = node.operands[2], cache = node.operands[3], batch = node.operands[4];
  Attrs append;
  for (const char* name : {"layer", "kv_heads", "head_dim"}) append.set(name, node.attrs.integer(name));
  std::string cache_name = rw.take_name(node.results[1]);
  NodeId appended =
      rw.insert_before(attention, *find_op("cache_append"), {cache, k, v, batch}, append, {cache_name}, path + ".append", {attention});
  rw.replace_uses(node.results[1], rw.graph().result(appended));
  NodeId made = rw.replace({attention}, paged, {q, rw.graph().result(appended), batch}, node.attrs, {node.results[0]}, path);
  rw.matched(made, "attention appends to the cache and runs as " + std::string(paged.name));
}

void run(Rewriter& rw, const PassContext&) {
  bool known = std::ranges::count(kModes, rw.graph().name()) > 0;
  for (NodeId id : nodes_named(rw.graph(), "grouped_query_attention")) {
    if (!known)
      rw.refused(id, "@" + rw.graph().name() + " is neither @prefill nor @decode");
    else
      lower(rw, id, *find_op("paged_attention_" + rw.graph().name()));
  }
}

}  // namespace

extern const Pass pass_prefill_decode_specialisation;
const Pass pass_prefill_decode_specialisation{
    "prefill-decode-specialisation", "Splits the model into prefill and decode, and attention into cache append and paged attention.", run,
    kModes};

}  // namespace hyalite
