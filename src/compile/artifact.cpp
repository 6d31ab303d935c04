#include "compile/artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "base/atomic_directory.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/tokenizer_spec_json.h"
#include "compile/load.h"
#include "compile/trace_json.h"
#include "ir/printer.h"

namespace hyalite {
namespace fs = std::filesystem;
namespace {

constexpr size_t kAlignment = 64;
constexpr const char* kWeightsFile = "weights/packed.bin";

Json info_to_json(const ModelInfo& info) {
  return {{"name", info.name},     {"family", info.family}, {"layers", info.layers},
          {"hidden", info.hidden}, {"vocab", info.vocab},   {"context_length", info.context_length}};
}

Json sources_to_json(const ImportedModel& model) {
  Json list = Json::array();
  for (const SourceFile& file : model.files)
    list.push_back({{"path", fs::path(file.path).filename().string()},
                    {"bytes", file.bytes},
                    {"digest", digest_of(MappedFile::open(file.path)->bytes())}});
  return list;
}

Json target_to_json(const CompileOptions& o) {
  return {{"backend", "cpu"},
          {"isa", name_of(o.isa)},
          {"numerics", name_of(o.numerics)},
          {"kv_dtype", format_of(*o.kv_dtype).name},
          {"cpu_model", o.machine.cpu_model},
          {"max_tokens", o.max_symbols.tokens},
          {"max_positions", o.max_positions}};
}

// Writes every weight at a 64-byte boundary and returns the index of artifact.json.
Json write_weights(const WeightSet& weights, const fs::path& path, const std::atomic<bool>* cancel) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  Json entries = Json::array();
  const std::string padding(kAlignment, '\0');
  size_t at = 0;
  for (const auto& [key, entry] : weights.entries()) {
    if (cancel && cancel->load()) throw Error(ErrorCode::cancelled, path.string(), "interrupted");
    Json dims = Json::array();
    for (const Dim& dim : entry.type.dims) dims.push_back(dim.value());
    entries.push_back({{"name", key.name},
                       {"dtype", format_of(key.dtype).name},
                       {"dims", dims},
                       {"packed", key.packed},
                       {"offset", at},
                       {"bytes", entry.bytes}});
    file.write(reinterpret_cast<const char*>(entry.data), static_cast<std::streamsize>(entry.bytes));
    size_t gap = (kAlignment - entry.bytes % kAlignment) % kAlignment;
    file.write(padding.data(), static_cast<std::streamsize>(gap));
    at += entry.bytes + gap;
  }
  file.close();
  if (!file) throw Error(ErrorCode::io, path.string(), "cannot write " + std::to_string(at) + " bytes of weights");
  return {{"file", kWeightsFile}, {"bytes", at}, {"digest", digest_of(MappedFile::open(path)->bytes())}, {"entries", entries}};
}

void write_texts(const Compilation& c, bool complete, const AtomicDirectory& out) {
  for (size_t i = 0; i < c.passes.size(); ++i)
    if (c.passes[i].changed && !c.passes[i].diff.empty())
      out.write(fmt::format("passes/{:02}-{}.diff", i + 1, c.passes[i].name), c.passes[i].diff);
  // Final graphs get a file each; a module that stopped earlier stays one file, to go on from.
  if (!complete)
    out.write("graphs/module.cir", print(c.module));
  else
    for (const Graph& graph : c.module.graphs) out.write("graphs/" + graph.name() + ".cir", print(Module{c.module.stage, {graph}}));
}

WeightKey key_of(const Json& entry, const std::string& where) {
  auto dtype = dtype_named(entry.at("dtype").get<std::string>());
  if (!dtype) throw Error(ErrorCode::invalid_model, where, "unknown format " + entry.at("dtype").get<std::string>());
  return {entry.at("name").get<std::string>(), *dtype, entry.at("packed").get<bool>()};
}

std::shared_ptr<WeightSet> map_weights(const fs::path& directory, const Json& index) {
  fs::path path = directory / kWeightsFile;
  std::shared_ptr<MappedFile> file = MappedFile::open(path);
  if (digest_of(file->bytes()) != index.at("digest").get<std::string>())
    throw Error(ErrorCode::invalid_model, path.string(), "its digest is not the one in artifact.json: the weights were changed or damaged");
  std::map<WeightKey, WeightSet::Entry> entries;
  for (const Json& json : index.at("entries")) {
    WeightKey key = key_of(json, path.string());
    WeightSet::Entry entry{.type = {key.dtype, {}}, .bytes = json.at("bytes").get<size_t>()};
    for (const Json& dim : json.at("dims")) entry.type.dims.emplace_back(dim.get<int64_t>());
    auto offset = json.at("offset").get<size_t>();
    size_t size = file->bytes().size();
    if (offset % kAlignment || offset > size || entry.bytes > size - offset)
      throw Error(ErrorCode::invalid_model, path.string() + ": weight " + key.name, "does not fit the file");
    entry.data = file->bytes().data() + offset;
    entries.emplace(std::move(key), std::move(entry));
  }
  return WeightSet::mapped(std::move(entries), std::move(file));
}

// Every weight that a plan reads must be in the set, as the plan says. REQUIRES: the plan is checked, so that weight_bytes is defined.
void check_complete(const ExecutionPlan& plan, const WeightSet& weights, const std::string& where) {
  for (const PlanWeight& weight : plan.weights)
    for (bool packed : {false, true}) {
      if (!(packed ? weight.packed : weight.as_is)) continue;
      const auto found = weights.entries().find({weight.name, weight.type.dtype, packed});
      const std::string what = "weight " + weight.name + " of the " + plan.mode + " plan ";
      if (found == weights.entries().end()) throw Error(ErrorCode::invalid_model, where, what + "is missing");
      if (found->second.type != weight.type || found->second.bytes != weight_bytes(weight.type, packed))
        throw Error(ErrorCode::invalid_model, where, what + "has another size");
    }
}

// The two plans run in turns on one cache, behind one vocabulary.
void check_pair(const ModelPlan& model, const std::string& where) {
  if (model.prefill.mode != "prefill" || model.decode.mode != "decode" || model.prefill.caches != model.decode.caches ||
      model.prefill.vocab != model.info.vocab || model.decode.vocab != model.info.vocab)
    throw Error(ErrorCode::invalid_model, where, "its plans are not a pair: they differ in mode, caches or vocabulary");
}

std::shared_ptr<ModelPlan> read_artifact(const fs::path& directory) {
  const std::string where = (directory / "artifact.json").string();
  Json json = read_json_file(where);
  if (int version = json.at("format_version").get<int>(); version != kArtifactVersion)
    throw Error(ErrorCode::invalid_model, where, fmt::format("format version {}; this build reads version {}", version, kArtifactVersion));
  for (const char* mode : {"prefill", "decode"})
    if (!fs::exists(directory / "schedules" / (std::string(mode) + ".json")))
      throw Error(ErrorCode::invalid_model, directory.string(),
                  std::string("has no ") + mode + " schedule: its compilation stopped earlier");
  auto model = std::make_shared<ModelPlan>();
  const Json& info = json.at("model");
  model->info = {info.at("name"), info.at("family"), info.at("layers"), info.at("hidden"), info.at("vocab"), info.at("context_length")};
  auto plan = [&](const char* mode) {
    std::string path = (directory / "schedules" / (std::string(mode) + ".json")).string();
    return plan_from_json(read_json_file(path), path);
  };
  model->prefill = plan("prefill");
  model->decode = plan("decode");
  std::string tokenizer = (directory / "tokenizer.json").string();
  model->tokenizer = tokenizer_spec_from_json(read_json_file(tokenizer), tokenizer);
  model->weights = map_weights(directory, json.at("weights"));
  check_complete(model->prefill, *model->weights, where);
  check_complete(model->decode, *model->weights, where);
  check_pair(*model, where);
  return model;
}

// An artifact and nothing besides: a folder of the user's may happen to hold an artifact.json too.
bool is_only_an_artifact(const fs::path& path) {
  constexpr std::array kParts = {"artifact.json", "tokenizer.json", "graphs", "schedules", "passes", "weights"};
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error))
    if (!std::ranges::count(kParts, entry.path().filename().string())) return false;
  return !error && is_artifact(path);
}

}  // namespace

bool is_artifact(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path / "artifact.json", ignored);
}

void write_artifact(const Compilation& c, const fs::path& directory, ThreadPool& pool) {
  AtomicDirectory out(directory, is_only_an_artifact);
  Json json = {{"format_version", kArtifactVersion},
               {"model", info_to_json(info_of(c.model.config))},
               {"source", {{"format", c.model.format}, {"files", sources_to_json(c.model)}, {"remarks", c.model.remarks}}},
               {"target", target_to_json(c.options)},
               {"stage", c.module.stage},
               {"passes", traces_to_json(c.passes)}};
  const bool complete = c.module.stage == pass_names().back();
  write_texts(c, complete, out);
  out.write("tokenizer.json", tokenizer_spec_to_json(c.model.tokenizer).dump());
  for (const auto* plan : {&c.prefill, &c.decode})
    if (complete && *plan) out.write("schedules/" + (*plan)->mode + ".json", to_json(**plan).dump(1));
  if (complete && c.prefill && c.decode) {
    const ExecutionPlan* plans[] = {&*c.prefill, &*c.decode};
    // The store is lent: it lives in the compilation, which outlives the set.
    std::shared_ptr<const WeightStore> store(std::shared_ptr<void>(), &c.model.weights);
    json["weights"] = write_weights(*WeightSet::pack(plans, store, pool), out.path() / kWeightsFile, c.options.cancel);
  }
  out.write("artifact.json", json.dump(1));
  out.commit();
}

std::shared_ptr<ModelPlan> load_artifact(const fs::path& directory) {
  try {
    return read_artifact(directory);
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::invalid_model, (directory / "artifact.json").string(), error.what());
  }
}

}  // namespace hyalite
