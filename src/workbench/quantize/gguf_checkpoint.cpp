#include "workbench/quantize/gguf_checkpoint.h"

#include <cstring>
#include <set>

#include "base/error.h"
#include "workbench/quantize/gguf_keys.h"

namespace hyalite {
namespace {

void take_gguf(const std::filesystem::path& path, GgufCheckpoint& checkpoint) {
  checkpoint.shards = open_gguf_shards(path);
  const GgufMetadata& metadata = checkpoint.shards[0].file.metadata;
  checkpoint.pairs = GgufPairs(metadata);
  for (const char* key : {"split.no", "split.count", "split.tensors.count"}) checkpoint.pairs.remove(key);
  checkpoint.alignment = metadata.unsigned_integer("general.alignment").value_or(kGgufDefaultAlignment);
  std::map<std::string, const TensorSpec*> wanted;
  const std::vector<TensorSpec> specs = tensor_specs(checkpoint.model.config);
  for (const TensorSpec& spec : specs) wanted[gguf_tensor_name(spec.name)] = &spec;
  for (const GgufShard& shard : checkpoint.shards)
    for (const GgufTensor& stored : shard.file.tensors) {
      GgufCheckpointTensor& tensor = checkpoint.tensors.emplace_back();
      tensor.header = {std::string(stored.name), stored.dtype, {}};
      for (int i = stored.rank; i-- > 0;) tensor.header.dims.push_back(stored.dims[i]);
      tensor.data = shard.map->bytes().data() + stored.offset;
      const auto spec = wanted.find(tensor.header.name);
      if (spec == wanted.end()) continue;
      tensor.canonical = spec->second->name;
      tensor.is_matrix = spec->second->dims.size() == 2;
    }
}

// GGUF has llama's rotary pairs side by side: row i and row i + half of a head become rows 2i and 2i + 1.
std::vector<uint8_t> with_paired_rows(const uint8_t* data, int64_t heads, int64_t head_dim, size_t row) {
  std::vector<uint8_t> out(static_cast<size_t>(heads * head_dim) * row);
  for (int64_t head = 0; head < heads; ++head)
    for (int64_t i = 0; i < head_dim; ++i) {
      const int64_t from = head * head_dim + i, to = head * head_dim + i % (head_dim / 2) * 2 + i / (head_dim / 2);
      std::memcpy(out.data() + static_cast<size_t>(to) * row, data + static_cast<size_t>(from) * row, row);
    }
  return out;
}

void add_factors(GgufCheckpoint& checkpoint) {
  const std::vector<float> factors = llama3_factors(checkpoint.model.config.rope);
  const auto* bytes = reinterpret_cast<const uint8_t*>(factors.data());
  checkpoint.owned.emplace_back(bytes, bytes + factors.size() * sizeof(float));
  GgufCheckpointTensor& tensor = checkpoint.tensors.emplace_back();
  tensor.header = {"rope_freqs.weight", DType::f32, {static_cast<int64_t>(factors.size())}};
  tensor.data = checkpoint.owned.back().data();
}

void rewrite(const std::string& where, GgufCheckpoint& checkpoint) {
  ImportedModel& model = checkpoint.model;
  const ModelConfig& config = model.config;
  add_config_keys(config, where, checkpoint.pairs);
  add_tokenizer_keys(model.tokenizer, config.vocab, where, checkpoint.pairs, model.remarks);
  if (config.rope.scaling == RopeScaling::llama3) add_factors(checkpoint);
  for (const TensorSpec& spec : tensor_specs(config)) {
    const WeightStore::Entry& entry = model.weights.at(spec.name);
    GgufCheckpointTensor& tensor = checkpoint.tensors.emplace_back();
    tensor.header = {gguf_tensor_name(spec.name), entry.type.dtype, spec.dims};
    tensor.canonical = spec.name;
    tensor.is_matrix = spec.dims.size() == 2;
    tensor.data = entry.data;
    const bool q = spec.name.find(".attn_q") != std::string::npos, k = spec.name.find(".attn_k") != std::string::npos;
    if (config.family != "llama" || config.rope.interleaved || (!q && !k)) continue;
    const size_t row = tensor.is_matrix ? row_bytes(entry.type.dtype, spec.dims[1]) : row_bytes(entry.type.dtype, 1);
    checkpoint.owned.push_back(with_paired_rows(entry.data, q ? config.heads : config.kv_heads, config.head_dim, row));
    tensor.data = checkpoint.owned.back().data();
  }
}

}  // namespace

GgufCheckpoint open_as_gguf(const std::filesystem::path& path) {
  GgufCheckpoint checkpoint;
  checkpoint.model = import_model(path);
  if (checkpoint.model.format == "gguf")
    take_gguf(path, checkpoint);
  else
    rewrite(path.string(), checkpoint);
  return checkpoint;
}

}  // namespace hyalite
