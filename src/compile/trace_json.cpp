#include "compile/trace_json.h"

namespace hyalite {

Json traces_to_json(const std::vector<PassTrace>& traces) {
  Json list = Json::array();
  for (const PassTrace& trace : traces) {
    Json remarks = Json::array();
    for (const Remark& remark : trace.remarks)
      remarks.push_back({{"kind", name_of(remark.kind)}, {"path", remark.path}, {"text", remark.text}});
    list.push_back({{"name", trace.name},
                    {"changed", trace.changed},
                    {"nodes_before", trace.nodes_before},
                    {"nodes_after", trace.nodes_after},
                    {"ms", trace.ms},
                    {"max_abs_error", trace.max_abs_error ? Json(*trace.max_abs_error) : Json()},
                    {"remarks", remarks}});
  }
  return list;
}

}  // namespace hyalite
