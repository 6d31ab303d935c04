// Whole models against transformers: tiny checkpoints of every family and of configurations that no real model at hand has. The weights
// are made by seed, the goldens come from tools/oracles/tiny_models.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>

#include "base/json.h"
#include "compile/load.h"
#include "importers/testing/files.h"
#include "runtime/step_runner.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

const Json& goldens() {
  static const Json json = read_json_file(HYALITE_SOURCE_DIR "/tests/models/goldens.json");
  return json;
}

struct Setting {
  Numerics numerics = Numerics::reference;
  IsaLevel isa = IsaLevel::scalar;
  int threads = 1;
  int64_t chunk = 512;
  std::optional<DType> kv_dtype = {};
};

// A checkpoint of a golden in a folder of its own.
class Checkpoint {
 public:
  explicit Checkpoint(const Json& golden) {
    const Json config = golden.contains("config") ? golden.at("config") : tiny_config(golden.at("family").get<std::string>());
    write_tiny_model(path(), config, golden.at("seed").get<uint64_t>());
  }
  std::filesystem::path path() const { return place_.path() / "model"; }

 private:
  hyalite::testing::TemporaryDirectory place_;
};

// Logits of every position, row after row.
std::vector<float> logits_of(const Checkpoint& checkpoint, const std::vector<int32_t>& ids, const Setting& setting) {
  CompileOptions options;
  options.machine = restrict_isa(detect_machine(), setting.isa);
  options.isa = setting.isa;
  options.numerics = setting.numerics;
  options.kv_dtype = setting.kv_dtype;
  options.threads = setting.threads;
  options.max_symbols = {512, 1, 512};
  options.max_positions = 512;
  ThreadPool pool(setting.threads);
  const std::shared_ptr<ModelPlan> model = load_model(checkpoint.path(), options, pool);
  StepRunner runner(*model, {512, 1, 512}, pool);
  SequencePages pages;
  std::vector<float> all;
  for (size_t done = 0; done < ids.size();) {
    const auto part = std::span(ids).subspan(done, std::min<size_t>(static_cast<size_t>(setting.chunk), ids.size() - done));
    const StepSequence step{&pages, static_cast<int64_t>(done), part, StepSequence::Logits::all};
    const TensorView logits = runner.run({&step, 1});
    all.insert(all.end(), logits.as<float>(), logits.as<float>() + logits.rows() * logits.columns());
    done += part.size();
  }
  runner.kv().release(pages);
  return all;
}

double log_sum_exp(std::span<const float> logits) {
  double sum = 0;
  for (float x : logits) sum += std::exp(static_cast<double>(x));
  return std::log(sum);
}

// The largest distance of the golden's rows.
double distance(const Checkpoint& checkpoint, const Json& golden, const Setting& setting) {
  double worst = 0;
  for (const Json& prompt : golden.at("prompts")) {
    const auto ids = prompt.at("ids").get<std::vector<int32_t>>();
    const std::vector<float> all = logits_of(checkpoint, ids, setting);
    const size_t vocab = all.size() / ids.size();
    for (const Json& row : prompt.at("rows")) {
      const auto logits = std::span(all).subspan(row.at("position").get<size_t>() * vocab, vocab);
      worst = std::max(worst, std::abs(log_sum_exp(logits) - row.at("logsumexp").get<double>()));
      for (size_t i = 0; i < row.at("ids").size(); ++i)
        worst = std::max(worst, std::abs(logits[row.at("ids")[i].get<size_t>()] - row.at("logits")[i].get<double>()));
    }
  }
  return worst;
}

std::vector<IsaLevel> levels_here() {
  std::vector<IsaLevel> levels;
  const Machine machine = detect_machine();
  std::ranges::copy_if(isa_levels(), std::back_inserter(levels), [&](IsaLevel level) { return has_level(machine, level); });
  return levels;
}

class TinyModelGolden : public ::testing::TestWithParam<size_t> {
 protected:
  const Json& golden = goldens()[GetParam()];
  Checkpoint checkpoint{golden};
};

TEST_P(TinyModelGolden, ReferenceNumericsEqualTransformers) {
  const double worst = distance(checkpoint, golden, {});
  RecordProperty("max_abs_error", std::to_string(worst));
  EXPECT_LT(worst, 1e-3) << golden.at("name");
}

// Under a sanitizer, which makes them ten times slower, one model runs on every level and the others on the newest.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kOnNewestOnly = true;
#else
constexpr bool kOnNewestOnly = false;
#endif

// The cache holds 16-bit keys and values; logits spread by about 2.
TEST_P(TinyModelGolden, DefaultNumericsAreNear) {
  const std::vector<IsaLevel> all = levels_here();
  for (IsaLevel level : !kOnNewestOnly || GetParam() == 0 ? all : std::vector{all.back()})
    EXPECT_LT(distance(checkpoint, golden, {.numerics = Numerics::deterministic, .isa = level}), 3e-2)
        << golden.at("name") << " with " << name_of(level);
}

// Keys and values of 8 bits, three fewer than f16 keeps: eight times its distance.
TEST_P(TinyModelGolden, AnEightBitCacheIsNear) {
  const Setting setting{.numerics = Numerics::deterministic, .isa = levels_here().back(), .kv_dtype = DType::q8_0};
  const double worst = distance(checkpoint, golden, setting);
  RecordProperty("max_abs_error", std::to_string(worst));
  EXPECT_LT(worst, 8 * 3e-2) << golden.at("name");
}

TEST_P(TinyModelGolden, ChunksAndThreadsChangeNoBit) {
  const auto ids = golden.at("prompts").back().at("ids").get<std::vector<int32_t>>();
  struct Cut {
    int threads;
    int64_t chunk;
  };
  const std::pair<DType, std::vector<Cut>> tries[] = {{DType::f16, {{1, 1}, {1, 7}, {2, 64}, {2, 512}}}, {DType::q8_0, {{1, 1}, {2, 7}}}};
  for (const auto& [kv_dtype, cuts] : tries) {
    Setting setting{Numerics::deterministic, levels_here().back(), 1, 512, kv_dtype};
    const std::vector<float> whole = logits_of(checkpoint, ids, setting);
    for (const auto& [threads, chunk] : cuts) {
      setting.threads = threads, setting.chunk = chunk;
      const std::vector<float> other = logits_of(checkpoint, ids, setting);
      ASSERT_EQ(whole.size(), other.size());
      EXPECT_EQ(std::memcmp(whole.data(), other.data(), whole.size() * sizeof(float)), 0)
          << golden.at("name") << ": " << threads << " threads, chunks of " << chunk << ", cache in " << format_of(kv_dtype).name;
    }
  }
}

std::string name_of_golden(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = goldens()[info.param].at("name").get<std::string>();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Models, TinyModelGolden, ::testing::Range<size_t>(0, goldens().size()), name_of_golden);

}  // namespace
}  // namespace hyalite
