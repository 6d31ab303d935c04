// An artifact to look at: its parts as text and JSON, without mapping weights. What `inspect` and `export` show.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "ir/graph.h"

namespace hyalite {

class ArtifactView {
 public:
  // Throws Error{invalid_model} where `directory` is no artifact or artifact.json is broken.
  explicit ArtifactView(std::filesystem::path directory);

  const Json& description() const { return json_; }  // artifact.json
  Graph graph(const std::string& mode) const;        // "prefill" or "decode"
  Json graph_json(const std::string& mode) const;    // name, inputs, nodes (op, operands, results, attrs, path, pass, parents)
  Json schedule(const std::string& mode) const;      // the execution plan
  Json memory(const std::string& mode) const;        // arena_bytes, workspace_bytes, values[{name, offset, bytes, first, last, path}]
  Json weights() const;                              // index of packed.bin
  Json kernels(const std::string& mode) const;       // variant -> steps, predicted_us, bytes
  Json pass(const std::string& name) const;          // trace entry with its diff; throws Error{invalid_argument} for an unknown one

 private:
  std::string read(const std::filesystem::path& relative) const;

  std::filesystem::path directory_;
  Json json_;
};

}  // namespace hyalite
