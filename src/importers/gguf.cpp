// Importer of GGUF models: one file or split shards. Weights stay in the mapped files in the format they have there.
#include <fstream>
#include <unordered_map>

#include "base/error.h"
#include "importers/found_tensor.h"
#include "importers/gguf_config.h"
#include "importers/gguf_shards.h"
#include "importers/gguf_tokenizer.h"
#include "importers/importer.h"
#include "importers/remarks.h"

namespace hyalite {
namespace {

bool recognizes(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  char magic[4] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic) == "GGUF" || path.extension() == ".gguf";
}

struct TableEntry {
  const GgufShard* shard;
  const GgufTensor* tensor;
  bool used = false;
};
using Table = std::unordered_map<std::string_view, TableEntry>;

Table table_of(const std::vector<GgufShard>& shards) {
  Table table;
  for (const GgufShard& shard : shards)
    for (const GgufTensor& tensor : shard.file.tensors) table.emplace(tensor.name, TableEntry{&shard, &tensor});
  return table;
}

GgufTensorFacts facts_of(const Table& table) {
  GgufTensorFacts facts;
  facts.has_output = table.contains("output.weight");
  facts.has_rope_freqs = table.contains("rope_freqs.weight");
  facts.has_qkv_bias = table.contains("blk.0.attn_q.bias");
  facts.has_output_bias = table.contains("blk.0.attn_output.bias");
  const auto embedding = table.find("token_embd.weight");
  if (embedding != table.end() && embedding->second.tensor->rank == 2) facts.vocab = embedding->second.tensor->dims[1];
  return facts;
}

FoundTensor found(const TableEntry& entry) {
  const GgufTensor& tensor = *entry.tensor;
  FoundTensor result{{entry.shard->map->path().string(), std::string(tensor.name)}, tensor.dtype, {}, entry.shard->map, tensor.offset};
  for (int i = tensor.rank; i-- > 0;) result.dims.push_back(tensor.dims[i]);
  return result;
}

// Rotary frequencies in old files: the config gives them too.
bool is_harmless(std::string_view name) {
  return name.ends_with(".attn_rot_embd") || name.ends_with(".attn_rot_embd.weight");
}

void add_weights(Table& table, const std::string& file, ImportedModel& model) {
  for (const TensorSpec& spec : tensor_specs(model.config)) {
    const std::string name = gguf_tensor_name(spec.name);
    const auto entry = table.find(name);
    if (entry == table.end()) throw Error(ErrorCode::invalid_model, file + ": tensor " + name, "is missing");
    entry->second.used = true;
    add_weight(model.weights, spec, found(entry->second));
  }
  std::vector<std::string> unused;
  for (const auto& [name, entry] : table)
    if (!entry.used && !is_harmless(name)) unused.emplace_back(name);
  note_unused_tensors(std::move(unused), "blk.", file, model.remarks);
}

void note_pre_tokenizer(const TokenizerSpec& tokenizer, const GgufMetadata& metadata, std::vector<std::string>& remarks) {
  constexpr const char* kPre = "tokenizer.ggml.pre";
  if (tokenizer.model == TokenizerModel::bpe_bytes && !metadata.has(kPre))
    remarks.push_back(metadata.file() + ": key " + kPre + " is missing: texts are split by rules that may not be this vocabulary's");
}

ImportedModel import(const std::filesystem::path& path, const ImportOptions& options) {
  const auto shards = open_gguf_shards(path);
  const GgufMetadata& metadata = shards[0].file.metadata;
  Table table = table_of(shards);
  ImportedModel model;
  model.format = "gguf";
  for (const GgufShard& shard : shards) model.files.push_back(shard.map);
  model.config = config_from_gguf(metadata, facts_of(table));
  model.tokenizer = import_gguf_tokenizer(metadata);
  model.tokenizer.file = model.tokenizer.template_file = metadata.file();
  note_pre_tokenizer(model.tokenizer, metadata, model.remarks);
  if (options.weights) add_weights(table, metadata.file(), model);
  return model;
}

}  // namespace

const Importer importer_gguf{"gguf", recognizes, import};

}  // namespace hyalite
