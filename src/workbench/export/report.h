// Everything the HTML page shows about one mode of an artifact, as one JSON document.
#pragma once

#include "base/json.h"
#include "compile/artifact_view.h"

namespace hyalite {

// {mode, model, source, target, limits{tokens, sequences, positions}, graph{inputs[{name, type}], outputs, nodes, segments}, steps, memory,
// weights, passes}. A node carries the index of its step, or -1; segments hold node indices (workbench/export/layers.h).
Json report(const ArtifactView& artifact, const std::string& mode);

}  // namespace hyalite
