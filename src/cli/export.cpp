#include <fmt/format.h>

#include <iostream>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text_util.h"
#include "cli/verb.h"
#include "workbench/export/export.h"

namespace hyalite {
namespace {

struct Options {
  std::string artifact, output, mode = "decode", format = "html";
};

bool is_standard_output(const std::string& path) {
  return path == "-" || path == "/dev/stdout";
}

int run(const Options& o, VerbContext& context) {
  const std::string text = export_artifact(ArtifactView(o.artifact), o.mode, o.format);
  if (is_standard_output(o.output)) {
    if (context.json) throw Error(ErrorCode::invalid_argument, "--json", "has no place beside the export on standard output");
    context.out << text;
    return 0;
  }
  write_file_atomically(o.output, text);
  if (context.json)
    context.out << Json{{"output", o.output}, {"mode", o.mode}, {"format", o.format}, {"bytes", text.size()}}.dump(1) << '\n';
  else
    context.out << fmt::format("wrote {} ({})\n", o.output, human_bytes(text.size()));
  return 0;
}

VerbAction setup(CLI::App& app) {
  auto o = std::make_shared<Options>();
  app.add_option("artifact", o->artifact, "Compiled artifact")->required();
  app.add_option("output", o->output, "File to write; one that is there already is replaced; -: standard output")->required();
  app.add_option("--mode", o->mode, "Which graph and plan")->check(CLI::IsMember({"prefill", "decode"}));
  app.add_option("--format", o->format, "An offline page, Graphviz, CacheIR text, JSON, or a collection for Model Explorer")
      ->check(CLI::IsMember(export_formats()));
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_export{"export", "Compile and look inside", "Write an artifact's graph and plan as one file: a page, Graphviz, JSON",
                              setup};

}  // namespace hyalite
