// Small graphs for the exporters' tests.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/inference.h"
#include "ir/parser.h"

namespace hyalite {

// An embedding, one layer per op ("add" or "mul", each with a norm and its weight) and an output norm, as CacheIR.
inline std::string stacked_layers(const std::vector<std::string>& ops) {
  std::string text =
      "graph @decode(%ids: tensor<T x i32>, %batch: batch) -> (tensor<T x 8 x f32>) {\n"
      "  %table = weight {name = \"token_embd\"} : tensor<16 x 8 x f32> at \"token_embd\"\n"
      "  %x = embed %ids, %table : tensor<T x 8 x f32> at \"token_embd\"\n";
  std::string x = "%x";
  for (size_t i = 0; i < ops.size(); ++i) {
    const std::string n = std::to_string(i), v = "%blk" + n, at = " : tensor<T x 8 x f32> at \"blk." + n;
    text += "  " + v + ".w = weight {name = \"blk." + n + ".norm\"} : tensor<8 x f32> at \"blk." + n + ".norm\"\n";
    text += "  " + v + ".norm = rms_norm " + x + ", " + v + ".w {eps = 1e-05}" + at + ".norm\"\n";
    text += "  " + v + ".out = " + ops[i] + " " + x + ", " + v + ".norm" + at + ".out\"\n";
    x = v + ".out";
  }
  return text +
         "  %last.w = weight {name = \"output_norm\"} : tensor<8 x f32> at \"output_norm\"\n"
         "  %last = rms_norm " +
         x + ", %last.w {eps = 1e-05} : tensor<T x 8 x f32> at \"output_norm\"\n  return %last\n}\n";
}

inline Graph test_graph(const std::string& text) {
  return parse_module(text, "test").graphs.front();
}

}  // namespace hyalite
