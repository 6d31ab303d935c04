// An artifact's parts, each checked as it is read: what `inspect` and `export` show and what load_artifact() puts together. Maps no
// weights.
#pragma once

#include <filesystem>
#include <string>

#include "base/json_reader.h"
#include "base/tokenizer_spec.h"
#include "ir/graph.h"
#include "plan/model_plan.h"

namespace hyalite {

// Every function throws Error{invalid_model} naming file and field where a part is missing or broken, or is not what artifact.json has a
// digest of.
class ArtifactView {
 public:
  // Reads artifact.json. Throws, besides, for another format version.
  explicit ArtifactView(std::filesystem::path directory);

  bool is_complete() const;      // every pass ran
  void expect_complete() const;  // throws Error{invalid_model} otherwise
  std::string where() const { return (directory_ / "artifact.json").string(); }
  JsonReader description() const { return JsonReader(json_, where()); }  // artifact.json; valid as long as this
  ModelInfo info() const;
  TokenizerSpec tokenizer() const;
  ExecutionPlan plan(const std::string& mode) const;  // "prefill" or "decode"; not for running where the compilation stopped before its end
  Graph graph(const std::string& mode) const;
  Json weights() const;                      // index of packed.bin: [{name, dtype, dims, layout, offset, bytes}]
  Json passes() const;                       // as traces_to_json(), each with its diff
  Json pass(const std::string& name) const;  // one of those; throws Error{invalid_argument} for an unknown one

 private:
  std::string read(const std::string& relative) const;
  Json read_json(const std::string& relative) const;
  std::string diff_of(size_t index, const std::string& name) const;  // of a pass; empty where it changed nothing

  std::filesystem::path directory_;
  Json json_;
};

// What is shown of a graph and of a plan.
Json graph_to_json(const Graph& graph);           // name, inputs, nodes (op, operands, results, attrs, path, pass, parents)
Json memory_to_json(const ExecutionPlan& plan);   // arena_bytes, workspace_bytes, values[{name, offset, bytes, first, last, path}]
Json kernels_to_json(const ExecutionPlan& plan);  // variant -> op, steps, predicted_us, bytes

}  // namespace hyalite
