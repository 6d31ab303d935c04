#include "workbench/tiny_model.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "base/atomic_directory.h"
#include "base/error.h"
#include "base/split_mix.h"
#include "importers/hf_config.h"
#include "importers/hf_names.h"
#include "models/config.h"
#include "workbench/safetensors_writer.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "hyalite_tiny_model";  // in config.json: what may be replaced
constexpr std::string_view kFamilies[] = {"llama", "qwen2", "qwen3", "gemma3"};

// Draws that look normal, made of integers so that they are the same everywhere: the sum of four uniform 16-bit numbers.
class Draws {
 public:
  explicit Draws(uint64_t seed) : random_(seed) {}

  float next(double mean, double deviation) {
    constexpr double kMean = 4 * 65535 / 2.0, kDeviation = 65536 / 1.7320508075688772;
    const uint64_t bits = random_.next();
    const auto sum = static_cast<double>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
    return static_cast<float>(mean + (sum - kMean) / kDeviation * deviation);
  }

 private:
  SplitMix64 random_;
};

// FNV-1a, so that each tensor has a stream of its own.
uint64_t hash_of(std::string_view name, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325 ^ seed * 0x9e3779b97f4a7c15;
  for (unsigned char c : name) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

// The spread keeps every projection's output near its input's, whatever the width; norms and biases move enough to be missed if left out.
std::vector<float> random_values(const TensorSpec& spec, const ModelConfig& config, uint64_t seed) {
  int64_t count = 1;
  for (int64_t dim : spec.dims) count *= dim;
  const bool vector = spec.dims.size() == 1;
  const bool stored_around_one = vector && !spec.name.ends_with(".bias") && config.family != "gemma3";
  const double mean = stored_around_one ? 1 : 0, deviation = vector ? 0.5 : 1.8 / std::sqrt(static_cast<double>(spec.dims.back()));
  Draws draws(hash_of(spec.name, seed));
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = draws.next(mean, deviation);
  return values;
}

TinyModelSummary write_weights(const fs::path& path, const ModelConfig& config, uint64_t seed) {
  const std::vector<TensorSpec> specs = tensor_specs(config);
  const HfNames names(config, {});
  std::vector<SafetensorsTensor> tensors;
  TinyModelSummary summary;
  for (const TensorSpec& spec : specs) {
    const int64_t parameters = std::accumulate(spec.dims.begin(), spec.dims.end(), int64_t{1}, std::multiplies<>());
    tensors.push_back({names.of(spec.name), "F32", spec.dims, parameters * static_cast<int64_t>(sizeof(float))});
    ++summary.tensors;
    summary.parameters += parameters;
  }
  SafetensorsWriter file(path, "pt", tensors);
  for (const TensorSpec& spec : specs) {
    const std::vector<float> values = random_values(spec, config, seed);
    file.write({reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(float)});
  }
  file.commit();
  return summary;
}

// A tiny model and nothing besides.
bool is_only_a_tiny_model(const fs::path& directory) {
  constexpr const char* kParts[] = {"config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"};
  std::error_code error;
  const fs::path config = directory / "config.json";
  return fs::exists(config, error) && holds_only(directory, kParts) && read_config_json(config.string()).contains(kMark);
}

}  // namespace

std::span<const std::string_view> tiny_families() {
  return kFamilies;
}

TinyModelSummary write_tiny_model(const fs::path& directory, Json config, uint64_t seed) {
  const std::string where = (directory / "config.json").string();
  const ModelConfig model = config_from_json(config, where);
  const TinyTokenizer tokenizer = tiny_tokenizer();
  if (model.vocab < tokenizer.vocab)
    throw Error(ErrorCode::invalid_argument, where,
                "vocab_size is " + std::to_string(model.vocab) + ", the tokenizer has " + std::to_string(tokenizer.vocab) + " ids");
  config[kMark] = {{"seed", seed}};
  AtomicDirectory target(directory, is_only_a_tiny_model);
  target.write("config.json", config.dump(2) + '\n');
  target.write("tokenizer.json", tokenizer.tokenizer.dump(2) + '\n');
  target.write("tokenizer_config.json", tokenizer.config.dump(2) + '\n');
  const TinyModelSummary summary = write_weights(target.path() / "model.safetensors", model, seed);
  target.commit();
  return summary;
}

}  // namespace hyalite
