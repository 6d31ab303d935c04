// For tests: writes small safetensors files and a tiny Hugging Face directory.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "importers/testing/files.h"

namespace hyalite::testing {

// Header length, header, data; the length may lie.
inline std::string safetensors_bytes(const std::string& header, const std::string& data) {
  return little_endian(uint64_t{header.size()}) + header + data;
}

class SafetensorsWriter {
 public:
  SafetensorsWriter& add(const std::string& name, const std::string& dtype, const std::vector<int64_t>& shape, const std::string& bytes) {
    header_[name] = {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {data_.size(), data_.size() + bytes.size()}}};
    data_ += bytes;
    return *this;
  }
  SafetensorsWriter& add_f32(const std::string& name, const std::vector<int64_t>& shape, float value = 0.25f) {
    std::string bytes;
    int64_t count = 1;
    for (int64_t dim : shape) count *= dim;
    while (count--) bytes += little_endian(value);
    return add(name, "F32", shape, bytes);
  }

  // Takes a tensor out, with its bytes.
  SafetensorsWriter& drop(const std::string& name) {
    const auto offsets = header_.at(name).at("data_offsets").get<std::vector<size_t>>();
    data_.erase(offsets[0], offsets[1] - offsets[0]);
    header_.erase(name);
    for (auto& [other, row] : header_.items()) {
      if (other == "__metadata__" || row["data_offsets"][0] < offsets[1]) continue;
      for (Json& offset : row["data_offsets"]) offset = offset.get<size_t>() - (offsets[1] - offsets[0]);
    }
    return *this;
  }

  Json& header() { return header_; }
  const Json& header() const { return header_; }
  const std::string& data() const { return data_; }
  std::string bytes() const { return safetensors_bytes(header_.dump(), data_); }

 private:
  Json header_ = {{"__metadata__", {{"format", "pt"}}}};
  std::string data_;
};

// A llama of one layer: hidden 16, 4 heads of 4, 2 key/value heads, feed-forward 24, vocabulary 8.
inline Json tiny_llama_config() {
  return Json::parse(R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 16, "intermediate_size": 24,
    "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 8, "max_position_embeddings": 64,
    "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": false})");
}

inline SafetensorsWriter tiny_llama_weights() {
  SafetensorsWriter w;
  const std::string layer = "model.layers.0.";
  w.add_f32("model.embed_tokens.weight", {8, 16}).add_f32("lm_head.weight", {8, 16}).add_f32("model.norm.weight", {16});
  w.add_f32(layer + "self_attn.q_proj.weight", {16, 16}).add_f32(layer + "self_attn.k_proj.weight", {8, 16});
  w.add_f32(layer + "self_attn.v_proj.weight", {8, 16}).add_f32(layer + "self_attn.o_proj.weight", {16, 16});
  w.add_f32(layer + "mlp.gate_proj.weight", {24, 16}).add_f32(layer + "mlp.up_proj.weight", {24, 16});
  w.add_f32(layer + "mlp.down_proj.weight", {16, 24});
  w.add_f32(layer + "input_layernorm.weight", {16}).add_f32(layer + "post_attention_layernorm.weight", {16});
  return w;
}

// A tokenizer of the letters a to h.
inline const char* tiny_tokenizer_json() {
  return R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}, "post_processor": null,
    "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null, "end_of_word_suffix": null,
      "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
      "vocab": {"a": 0, "b": 1, "c": 2, "d": 3, "e": 4, "f": 5, "g": 6, "h": 7}, "merges": []}})";
}

// Writes config.json and tokenizer.json; the test writes the weights.
inline void write_hf_directory(const TemporaryDirectory& directory, const Json& config) {
  directory.write("config.json", config.dump());
  directory.write("tokenizer.json", tiny_tokenizer_json());
}

}  // namespace hyalite::testing
