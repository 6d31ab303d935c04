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
    context.out << print_json({{"output", o.output}, {"mode", o.mode}, {"format", o.format}, {"bytes", text.size()}}) << '\n';
  else
    context.out << fmt::format("wrote {} ({})\n", o.output, human_bytes(text.size()));
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  set.add("artifact", o->artifact, "Compiled artifact").required();
  set.add("output", o->output, "File to write; one that is there already is replaced; -: standard output").required();
  set.add("--mode", o->mode, "Which graph and plan").one_of({"prefill", "decode"});
  set.add("--format", o->format, "An offline page, Graphviz, CacheIR text, JSON, or a collection for Model Explorer")
      .one_of(export_formats());
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_export{"export", "Compile and look inside", "Write an artifact's graph and plan as one file: a page, Graphviz, JSON",
                              setup};

}  // namespace hyalite
