// An artifact as pictures and interchange files.
#pragma once

#include <string>
#include <vector>

#include "compile/artifact_view.h"

namespace hyalite {

// The names of every format: html, dot, text, json, model-explorer.
std::vector<std::string> export_formats();

// One file's content for the graph and plan of `mode` ("prefill" or "decode").
//   html            one self-contained page (docs/explorer.md)
//   dot             Graphviz, runs of equal layers drawn once
//   text            CacheIR, as ir/printer.h defines it
//   json            {mode, graph, schedule, memory}
//   model-explorer  a graph collection of ai-edge-model-explorer
// Throws Error{invalid_argument} for an unknown format or mode.
std::string export_artifact(const ArtifactView& artifact, const std::string& mode, const std::string& format);

}  // namespace hyalite
