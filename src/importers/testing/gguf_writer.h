// For tests: writes small GGUF files and remembers where each field lies, so that a test can break one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "importers/gguf_metadata.h"
#include "importers/testing/files.h"

namespace hyalite::testing {

class GgufWriter {
 public:
  GgufWriter& string(const std::string& key, std::string_view value) { return pair(key, GgufType::string, counted(value)); }
  GgufWriter& u32(const std::string& key, uint32_t value) { return pair(key, GgufType::u32, little_endian(value)); }
  GgufWriter& u16(const std::string& key, uint16_t value) { return pair(key, GgufType::u16, little_endian(value)); }
  GgufWriter& f32(const std::string& key, float value) { return pair(key, GgufType::f32, little_endian(value)); }
  GgufWriter& boolean(const std::string& key, bool value) {
    return pair(key, GgufType::boolean, little_endian(static_cast<uint8_t>(value)));
  }
  GgufWriter& strings(const std::string& key, const std::vector<std::string>& values) {
    std::string bytes;
    for (const auto& value : values) bytes += counted(value);
    return array(key, GgufType::string, values.size(), bytes);
  }
  GgufWriter& i32s(const std::string& key, const std::vector<int32_t>& values) {
    return array(key, GgufType::i32, values.size(), {reinterpret_cast<const char*>(values.data()), values.size() * 4});
  }
  GgufWriter& array(const std::string& key, GgufType type, uint64_t count, std::string_view bytes) {
    return pair(key, GgufType::array, little_endian(type) + little_endian(count) + std::string(bytes));
  }

  // `dims` as in the file: the contiguous one first. `type` is the number in the file. Offsets are given out in order, aligned to 32.
  GgufWriter& tensor(const std::string& name, const std::vector<uint64_t>& dims, uint32_t type, const std::string& bytes) {
    tensors_.push_back({name, dims, type, bytes});
    return *this;
  }
  GgufWriter& f32_tensor(const std::string& name, const std::vector<uint64_t>& dims, float value = 0.25f) {
    std::string bytes;
    uint64_t count = 1;
    for (uint64_t dim : dims) count *= dim;
    while (count--) bytes += little_endian(value);
    return tensor(name, dims, 0, bytes);
  }

  // Removes a pair or a tensor.
  GgufWriter& drop(const std::string& name) {
    std::erase_if(pairs_, [&](const Pair& pair) { return pair.key == name; });
    std::erase_if(tensors_, [&](const Tensor& tensor) { return tensor.name == name; });
    return *this;
  }

  // For shards: the tensors of another writer, and of those the ones whose index `keep` accepts.
  GgufWriter& take_tensors(const GgufWriter& other) {
    tensors_ = other.tensors_;
    return *this;
  }
  template <class Predicate>
  GgufWriter& keep_tensors(Predicate keep) {
    size_t index = 0;
    std::erase_if(tensors_, [&](const Tensor&) { return !keep(index++); });
    return *this;
  }

  std::string bytes() {
    positions_.clear();
    std::string out = "GGUF" + little_endian(version) + little_endian(uint64_t{tensors_.size()}) + little_endian(uint64_t{pairs_.size()});
    for (const Pair& pair : pairs_) {
      mark("key:", pair.key, out);
      out += counted(pair.key) + little_endian(pair.type);
      mark("value:", pair.key, out);
      out += pair.bytes;
    }
    write_table(out);
    pad(out);
    mark("data:", "", out);
    for (const Tensor& tensor : tensors_) {
      pad(out);
      out += tensor.bytes;
    }
    return out;
  }

  // Of a field in the last bytes(): "key:K" and "value:K" of a pair, "name:T", "rank:T", "dims:T", "type:T" and "offset:T" of a tensor,
  // "data:".
  size_t position(const std::string& field) const { return positions_.at(field); }

  uint32_t version = 3;

 private:
  struct Pair {
    std::string key;
    GgufType type;
    std::string bytes;
  };
  struct Tensor {
    std::string name;
    std::vector<uint64_t> dims;
    uint32_t type;
    std::string bytes;
  };

  static std::string counted(std::string_view text) { return little_endian(uint64_t{text.size()}) + std::string(text); }
  static void pad(std::string& out) { out.resize((out.size() + 31) / 32 * 32); }
  void mark(const char* kind, const std::string& name, const std::string& out) { positions_[kind + name] = out.size(); }

  GgufWriter& pair(const std::string& key, GgufType type, std::string bytes) {
    pairs_.push_back({key, type, std::move(bytes)});
    return *this;
  }

  void write_table(std::string& out) {
    uint64_t offset = 0;
    for (const Tensor& tensor : tensors_) {
      mark("name:", tensor.name, out);
      out += counted(tensor.name);
      mark("rank:", tensor.name, out);
      out += little_endian(static_cast<uint32_t>(tensor.dims.size()));
      mark("dims:", tensor.name, out);
      for (uint64_t dim : tensor.dims) out += little_endian(dim);
      mark("type:", tensor.name, out);
      out += little_endian(tensor.type);
      mark("offset:", tensor.name, out);
      out += little_endian(offset);
      offset += (tensor.bytes.size() + 31) / 32 * 32;
    }
  }

  std::vector<Pair> pairs_;
  std::vector<Tensor> tensors_;
  std::map<std::string, size_t> positions_;
};

// A llama of two layers (hidden 32, 4 heads of 8, 2 key/value heads, feed-forward 64) with a byte-level vocabulary of `tokens` entries.
inline GgufWriter tiny_llama(int tokens = 256) {
  GgufWriter w;
  w.string("general.architecture", "llama").string("general.name", "tiny").u32("llama.block_count", 2).u32("llama.context_length", 128);
  w.u32("llama.embedding_length", 32).u32("llama.feed_forward_length", 64).u32("llama.attention.head_count", 4);
  w.u32("llama.attention.head_count_kv", 2).f32("llama.attention.layer_norm_rms_epsilon", 1e-5f).f32("llama.rope.freq_base", 10000);
  std::vector<std::string> pieces;
  for (int i = 0; i < tokens; ++i) pieces.push_back("t" + std::to_string(i));
  pieces[0] = "a", pieces[1] = "b", pieces[2] = "ab";
  w.string("tokenizer.ggml.model", "gpt2").string("tokenizer.ggml.pre", "smollm").strings("tokenizer.ggml.tokens", pieces);
  w.i32s("tokenizer.ggml.token_type", std::vector<int32_t>(pieces.size(), 1)).strings("tokenizer.ggml.merges", {"a b"});
  w.u32("tokenizer.ggml.bos_token_id", 1).u32("tokenizer.ggml.eos_token_id", 2);
  const auto vocab = static_cast<uint64_t>(tokens);
  w.f32_tensor("token_embd.weight", {32, vocab});
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "blk." + std::to_string(i) + ".";
    w.f32_tensor(layer + "attn_norm.weight", {32}).f32_tensor(layer + "attn_q.weight", {32, 32});
    w.f32_tensor(layer + "attn_k.weight", {32, 16}).f32_tensor(layer + "attn_v.weight", {32, 16});
    w.f32_tensor(layer + "attn_output.weight", {32, 32}).f32_tensor(layer + "ffn_norm.weight", {32});
    w.f32_tensor(layer + "ffn_gate.weight", {32, 64}).f32_tensor(layer + "ffn_up.weight", {32, 64});
    w.f32_tensor(layer + "ffn_down.weight", {64, 32});
  }
  w.f32_tensor("output_norm.weight", {32});
  return w;
}

}  // namespace hyalite::testing
