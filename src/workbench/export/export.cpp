#include "workbench/export/export.h"

#include "base/error.h"
#include "ir/printer.h"
#include "workbench/export/graph_dot.h"
#include "workbench/export/html_page.h"
#include "workbench/export/model_explorer.h"
#include "workbench/export/report.h"

namespace hyalite {
namespace {

// Names come from model files: what is not UTF-8 becomes U+FFFD.
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + '\n';
}

struct Format {
  const char* name;
  std::string (*make)(const ArtifactView& artifact, const std::string& mode);
};

constexpr Format kFormats[] = {
    {"html", [](const ArtifactView& artifact, const std::string& mode) { return html_page(report(artifact, mode)); }},
    {"dot", [](const ArtifactView& artifact, const std::string& mode) { return to_dot(artifact.graph(mode)); }},
    {"text", [](const ArtifactView& artifact, const std::string& mode) { return print(artifact.graph(mode)); }},
    {"json",
     [](const ArtifactView& artifact, const std::string& mode) {
       const ExecutionPlan plan = artifact.plan(mode);
       return text_of(
           {{"mode", mode}, {"graph", graph_to_json(artifact.graph(mode))}, {"schedule", to_json(plan)}, {"memory", memory_to_json(plan)}},
           1);
     }},
    {"model-explorer",
     [](const ArtifactView& artifact, const std::string& mode) {
       return text_of(to_model_explorer(artifact.graph(mode), to_json(artifact.plan(mode)), artifact.info().name), 1);
     }},
};

}  // namespace

std::vector<std::string> export_formats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::string export_artifact(const ArtifactView& artifact, const std::string& mode, const std::string& format) {
  if (mode != "prefill" && mode != "decode") throw Error(ErrorCode::invalid_argument, "--mode " + mode, "must be prefill or decode");
  for (const Format& one : kFormats)
    if (one.name == format) return one.make(artifact, mode);
  std::string known;
  for (const std::string& name : export_formats()) known += (known.empty() ? "" : ", ") + name;
  throw Error(ErrorCode::invalid_argument, "--format " + format, "must be one of " + known);
}

}  // namespace hyalite
