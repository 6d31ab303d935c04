#include "compile/trace_json.h"

namespace hyalite {
namespace {

Remark remark_from(const JsonReader& from) {
  const auto kind = from.get<std::string>("kind");
  for (Remark::Kind one : {Remark::Kind::matched, Remark::Kind::refused, Remark::Kind::note})
    if (kind == name_of(one)) return {one, from.get<std::string>("path"), from.get<std::string>("text")};
  from.fail("unknown kind of remark " + kind);
}

OpChange change_from(const JsonReader& from) {
  const auto kind = from.get<std::string>("kind");
  for (NodeChange::Kind one : {NodeChange::Kind::added, NodeChange::Kind::removed, NodeChange::Kind::changed})
    if (kind == name_of(one)) return {one, from.get<std::string>("op"), from.get<int>("count")};
  from.fail("unknown kind of change " + kind);
}

}  // namespace

Json traces_to_json(const std::vector<PassTrace>& traces) {
  Json list = Json::array();
  for (const PassTrace& trace : traces) {
    Json remarks = Json::array();
    for (const Remark& remark : trace.remarks)
      remarks.push_back({{"kind", name_of(remark.kind)}, {"path", remark.path}, {"text", remark.text}});
    Json changes = Json::array();
    for (const OpChange& change : trace.changes)
      changes.push_back({{"kind", name_of(change.kind)}, {"op", change.op}, {"count", change.count}});
    list.push_back({{"name", trace.name},
                    {"changed", trace.changed},
                    {"nodes_before", trace.nodes_before},
                    {"nodes_after", trace.nodes_after},
                    {"ms", trace.ms},
                    {"max_abs_error", trace.max_abs_error ? Json(*trace.max_abs_error) : Json()},
                    {"remarks", remarks},
                    {"changes", changes}});
  }
  return list;
}

std::vector<PassTrace> traces_from_json(const JsonReader& from) {
  std::vector<PassTrace> traces;
  from.each("passes", [&](const JsonReader& one) {
    PassTrace trace{.name = one.get<std::string>("name")};
    trace.changed = one.get<bool>("changed");
    trace.nodes_before = one.get<int>("nodes_before");
    trace.nodes_after = one.get<int>("nodes_after");
    trace.ms = one.get<double>("ms");
    if (!one.field("max_abs_error").is_null()) trace.max_abs_error = one.get<double>("max_abs_error");
    one.each("remarks", [&](const JsonReader& remark) { trace.remarks.push_back(remark_from(remark)); });
    one.each("changes", [&](const JsonReader& change) { trace.changes.push_back(change_from(change)); });
    traces.push_back(std::move(trace));
  });
  return traces;
}

}  // namespace hyalite
