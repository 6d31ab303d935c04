// Importer of Hugging Face directories: config.json, weights in safetensors or NPZ, tokenizer.json.
#include <cstring>

#include "base/error.h"
#include "importers/found_tensor.h"
#include "importers/hf_config.h"
#include "importers/hf_names.h"
#include "importers/importer.h"
#include "importers/json_fields.h"
#include "importers/remarks.h"
#include "importers/scaled_weights.h"
#include "importers/stored_tensor.h"
#include "importers/tokenizer_json.h"
#include "importers/vocabulary_builder.h"
#include "importers/weight_files.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

bool recognizes(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) && fs::exists(path / "config.json", error);
}

// Gemma stores norm weights around 0 and multiplies by 1 + w; the canonical weight is what is multiplied with.
bool is_offset_norm(const ModelConfig& config, const std::string& name) {
  return config.family == "gemma3" && name.ends_with("_norm");
}

void add_offset_norm(WeightStore& store, const TensorSpec& spec, const FoundTensor& tensor) {
  check_shape(tensor, spec);
  std::vector<float> values = decode_to_float(tensor);
  for (float& value : values) value = 1 + value;
  add_floats(store, spec.name, tensor, values);
}

class HfWeights {
 public:
  HfWeights(const fs::path& directory, const Json& json, ImportedModel& model)
      : directory_(directory),
        files_(open_weight_files(directory, model.files)),
        names_(model.config, files_.tensors),
        scales_(json, files_.tensors),
        model_(model) {}

  void add_all() {
    if (model_.config.tied_embeddings) look_for_head();
    for (const TensorSpec& spec : tensor_specs(model_.config)) add(spec);
    if (files_.fault) throw *files_.fault;
    if (scaled_) model_.remarks.push_back("converted " + std::to_string(scaled_) + " tensors with separate scales to f32");
    if (doubles_) model_.remarks.push_back("converted " + std::to_string(doubles_) + " f64 tensors to f32");
    note_rest();
  }

 private:
  // Some files hold a head although their configuration ties it to the embedding. As in transformers, it counts where the two differ.
  void look_for_head() {
    const std::string name = names_.of("output");
    const auto head = files_.tensors.find(name), embedding = files_.tensors.find(names_.of("token_embd"));
    if (head == files_.tensors.end() || embedding == files_.tensors.end()) return;
    if (same_values(head->second, embedding->second)) {
      used_.push_back(name);
      return;
    }
    model_.config.tied_embeddings = false;
    model_.remarks.push_back("the configuration ties the head to the embedding, but " + name + " differs from it: the head is used");
  }

  bool same_values(const FoundTensor& head, const FoundTensor& embedding) const {
    if (head.dtype != embedding.dtype || head.dims != embedding.dims) return false;
    if (scales_.has(head.source.tensor) || scales_.has(embedding.source.tensor)) return false;
    const auto bytes = dense_bytes(head.dtype, head.dims);
    const bool same = bytes && std::memcmp(head.data(), embedding.data(), *bytes) == 0;
    if (bytes)
      for (const FoundTensor* tensor : {&head, &embedding}) tensor->file->release(tensor->offset, *bytes);
    return same;
  }

  void add(const TensorSpec& spec) {
    const std::string name = names_.of(spec.name);
    const auto found = files_.tensors.find(name);
    if (found == files_.tensors.end()) throw Error(ErrorCode::invalid_model, directory_.string() + ": tensor " + name, "is missing");
    const FoundTensor& tensor = found->second;
    if (!format_of(tensor.dtype).is_float)
      throw Error(ErrorCode::invalid_model, tensor.where(),
                  "has elements of type " + std::string(format_of(tensor.dtype).name) + ", expected floats");
    check_shape(tensor, spec);
    scales_.require_scale(tensor);
    if (scales_.has(name)) {
      add_floats(model_.weights, spec.name, tensor, scales_.apply(tensor));
      ++scaled_;
    } else if (is_offset_norm(model_.config, spec.name)) {
      add_offset_norm(model_.weights, spec, tensor);
    } else if (needs_copy(tensor)) {
      doubles_ += tensor.dtype == DType::f64;
      add_floats(model_.weights, spec.name, tensor, decode_to_float(tensor));
    } else {
      add_weight(model_.weights, spec, tensor);
    }
    used_.push_back(name);
  }

  // Doubles, and elements that do not lie at a multiple of their size.
  static bool needs_copy(const FoundTensor& tensor) {
    return tensor.dtype == DType::f64 || tensor.offset % format_of(tensor.dtype).block_bytes;
  }

  void note_rest() {
    std::vector<std::string> rest = unused_names(files_, used_);
    std::erase_if(rest, [&](const std::string& name) { return names_.is_ignorable(name) || scales_.is_scale(name); });
    note_unused_tensors(std::move(rest), names_.layers(), directory_.string(), model_.remarks);
  }

  const fs::path& directory_;
  WeightFiles files_;
  HfNames names_;
  ScaledWeights scales_;
  ImportedModel& model_;
  std::vector<std::string> used_;
  size_t scaled_ = 0, doubles_ = 0;
};

// Published tokenizers may have a few added tokens more than the embedding has rows: a text without them is none the worse.
void disable_tokens_without_embedding(int64_t rows, TokenizerSpec& tokenizer) {
  const auto first = static_cast<size_t>(rows);
  std::vector<bool> added(tokenizer.pieces.size());
  for (const AddedToken& token : tokenizer.added) added[static_cast<size_t>(token.id)] = true;
  for (size_t id = first; id < tokenizer.pieces.size(); ++id) {
    if (!added[id] && tokenizer.kinds[id] != TokenKind::unused)
      throw Error(ErrorCode::invalid_model, tokenizer.file + ": model.vocab",
                  "\"" + std::string(tokenizer.pieces[id]) + "\" has id " + std::to_string(id) + ", but the embedding has " +
                      std::to_string(rows) + " rows");
    tokenizer.kinds[id] = TokenKind::unused;
  }
  for (const std::vector<int32_t>* ids : {&tokenizer.prefix, &tokenizer.suffix})
    for (int32_t id : *ids)
      if (id >= rows)
        throw Error(ErrorCode::invalid_model, tokenizer.file + ": post_processor",
                    "puts id " + std::to_string(id) + " around texts, but the embedding has " + std::to_string(rows) + " rows");
}

void import_tokenizer(const fs::path& path, const Json& json, const std::string& config_path, ImportedModel& model) {
  model.tokenizer = import_tokenizer_directory(path, model.files);
  std::error_code error;
  // transformers takes the ends of an answer from config.json where there is no generation_config.json.
  if (!fs::exists(path / "generation_config.json", error)) add_answer_ends(json, config_path, model.config.vocab, model.tokenizer);
  disable_tokens_without_embedding(model.config.vocab, model.tokenizer);
  note_larger_tokenizer(model.tokenizer.pieces.size(), model.config.vocab, model.remarks);
}

ImportedModel import(const fs::path& path, const ImportOptions& options) {
  const std::string config_path = (path / "config.json").string();
  ImportedModel model;
  const Json json = read_source_json(config_path, kHfConfigLimits, model.files);
  model.format = "huggingface";
  model.config = config_from_json(json, config_path);
  std::error_code error;
  model.config.name = readable(fs::weakly_canonical(path, error).filename().string());
  import_tokenizer(path, json, config_path, model);
  if (options.weights) HfWeights(path, json, model).add_all();
  return model;
}

}  // namespace

const Importer importer_huggingface{"huggingface", recognizes, import};

}  // namespace hyalite
