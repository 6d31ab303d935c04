// Speculative decoding against plain decoding: the same ids, log-probabilities, text and end, whatever is guessed.
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "compile/load.h"
#include "engine/engine.h"
#include "engine/model_drafter.h"
#include "engine/ngram_drafter.h"
#include "importers/testing/files.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

constexpr int64_t kDraftTokens = 7, kMaxTokens = 300, kAnswer = 250;

// Knows the answer and spoils it at a random place, so that every length of right and wrong guesses occurs.
class SpoilingDrafter final : public Drafter {
 public:
  SpoilingDrafter(std::vector<int32_t> whole, int32_t vocab) : whole_(std::move(whole)), vocab_(vocab) {}

  void begin(std::span<const int32_t>) override {}
  void draft(const DraftContext& context, std::vector<int32_t>& drafts) override {
    const size_t right = random_() % (kDraftTokens + 2);
    for (size_t i = 0; i < static_cast<size_t>(context.most); ++i) {
      const size_t at = context.sequence.size() + i;
      const int32_t id = at < whole_.size() ? whole_[at] : 0;
      drafts.push_back(i < right ? id : (id + 1) % vocab_);
    }
  }

 private:
  std::vector<int32_t> whole_;
  int32_t vocab_;
  std::mt19937 random_{11};
};

std::shared_ptr<const ModelPlan> load(const std::filesystem::path& path, Numerics numerics = Numerics::deterministic) {
  const IsaLevel isa = detect_machine().features & kAvx512 ? IsaLevel::avx512 : IsaLevel::scalar;
  CompileOptions options{.numerics = numerics, .machine = restrict_isa(detect_machine(), isa), .isa = isa, .threads = 1};
  options.max_symbols.tokens = 16;  // a small step, so that sliding windows reuse their pages early
  options.max_draft_tokens = kDraftTokens;
  options.max_positions = kMaxTokens;
  ThreadPool pool(1);
  return load_model(path, options, pool);
}

class Speculation : public ::testing::TestWithParam<std::string_view> {
 protected:
  explicit Speculation(const Json& config = tiny_config(GetParam())) {
    write_tiny_model(place_.path() / "model", config, 3);
    model_ = load(place_.path() / "model");
    tokenizer_ = std::make_unique<Tokenizer>(model_->tokenizer);
  }

  Generation generate(const Request& request, const DrafterFactory& drafter) const {
    Engine engine(model_, *tokenizer_, {1, kMaxTokens, 1, 16, drafter, kDraftTokens});
    Generation g = engine.generate(request);
    engine.steps().kv().check({});
    return g;
  }

  Request request(SamplingOptions sampling, int64_t count = kAnswer) const {
    sampling.seed = 5;
    return {.prompt = tokenizer_->encode("the cat sat on the mat, the cat sat on"),
            .max_new_tokens = count,
            .sampling = std::move(sampling),
            .ignore_eos = true};
  }

  DrafterFactory spoiled(const Request& request, const Generation& plain) const {
    std::vector<int32_t> whole = request.prompt;
    whole.insert(whole.end(), plain.ids.begin(), plain.ids.end());
    return [whole](const ModelPlan& model, int64_t, ThreadPool&) {
      return std::make_unique<SpoilingDrafter>(whole, static_cast<int32_t>(model.info.vocab));
    };
  }

  DrafterFactory drafted_by(const std::shared_ptr<const ModelPlan>& draft) const {
    return [draft](const ModelPlan& model, int64_t max_tokens, ThreadPool& pool) {
      return std::make_unique<ModelDrafter>(draft, "draft", model, max_tokens, pool);
    };
  }

  static void expect_same(const Generation& plain, const Generation& other) {
    EXPECT_EQ(plain.ids, other.ids);
    EXPECT_EQ(plain.text, other.text);
    EXPECT_EQ(plain.finish_reason, other.finish_reason);
    ASSERT_EQ(plain.tokens.size(), other.tokens.size());
    for (size_t i = 0; i < plain.tokens.size(); ++i) {
      EXPECT_EQ(plain.tokens[i].logprob, other.tokens[i].logprob);
      ASSERT_EQ(plain.tokens[i].top.size(), other.tokens[i].top.size());
      for (size_t j = 0; j < plain.tokens[i].top.size(); ++j) {
        EXPECT_EQ(plain.tokens[i].top[j].id, other.tokens[i].top[j].id);
        EXPECT_EQ(plain.tokens[i].top[j].logprob, other.tokens[i].top[j].logprob);
      }
    }
    EXPECT_EQ(plain.usage.completion_tokens, other.usage.completion_tokens);
  }

  hyalite::testing::TemporaryDirectory place_;
  std::shared_ptr<const ModelPlan> model_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

const DrafterFactory kNgram = [](const ModelPlan&, int64_t max_tokens, ThreadPool&) { return std::make_unique<NgramDrafter>(max_tokens); };

TEST_P(Speculation, ChangesNothingWhateverIsGuessed) {
  const SamplingOptions kinds[] = {
      {.logprobs = 3},
      {.temperature = 1},
      {.temperature = 0.7, .top_k = 20, .top_p = 0.9, .min_p = 0.01, .logprobs = 2},
      {.repeat_penalty = 1.3, .presence_penalty = 0.5, .frequency_penalty = 0.2},
      {.temperature = 0.5, .logit_bias = {{65, 2.0}, {66, -100.0}}},
  };
  for (const SamplingOptions& kind : kinds) {
    const Request r = request(kind);
    const Generation plain = generate(r, {});
    EXPECT_EQ(plain.timings.drafted_tokens, 0);
    EXPECT_EQ(plain.timings.decode_steps, kAnswer - 1);
    const Generation spoiled_answer = generate(r, spoiled(r, plain));
    expect_same(plain, spoiled_answer);
    EXPECT_GT(spoiled_answer.timings.accepted_tokens, kAnswer / 4);
    EXPECT_LT(spoiled_answer.timings.accepted_tokens, spoiled_answer.timings.drafted_tokens);
    EXPECT_EQ(spoiled_answer.timings.decode_steps + spoiled_answer.timings.accepted_tokens, kAnswer - 1);
    expect_same(plain, generate(r, kNgram));
  }
}

TEST_P(Speculation, EndsWherePlainDecodingEnds) {
  for (const int64_t count : {1, 2, 3, 50, 5000}) {
    const Request r = request({.temperature = 1}, count);
    const Generation plain = generate(r, {});
    expect_same(plain, generate(r, spoiled(r, plain)));
    if (count == 5000) {
      EXPECT_EQ(std::ssize(r.prompt) + std::ssize(plain.ids), kMaxTokens);
    }
  }
  Request r = request({.temperature = 1}, 100);
  const Generation whole = generate(r, {});
  r.stop = {whole.text.substr(whole.text.size() / 2, 3)};
  const Generation plain = generate(r, {});
  EXPECT_EQ(plain.finish_reason, "stop");
  expect_same(plain, generate(r, spoiled(r, whole)));
  r.stop.clear();
  r.ignore_eos = false;
  r.sampling.logit_bias = {{tokenizer_->end_of_generation().front(), 4.0}};
  const Generation ended = generate(r, {});
  EXPECT_EQ(ended.finish_reason, "stop");
  expect_same(ended, generate(r, spoiled(r, ended)));
}

TEST_P(Speculation, AModelThatDraftsForItselfIsAlwaysRight) {
  for (const SamplingOptions& kind : {SamplingOptions{}, SamplingOptions{.temperature = 1, .repeat_penalty = 1.2}}) {
    const Request r = request(kind, 100);
    const Generation g = generate(r, drafted_by(model_));
    expect_same(generate(r, {}), g);
    EXPECT_EQ(g.timings.accepted_tokens, g.timings.drafted_tokens);
    EXPECT_LE(g.timings.decode_steps, 100 / kDraftTokens);
  }
}

TEST_P(Speculation, AnotherModelOfTheVocabularyMayDraft) {
  write_tiny_model(place_.path() / "draft", tiny_config("llama"), 4);
  const std::shared_ptr<const ModelPlan> draft = load(place_.path() / "draft");
  for (const SamplingOptions& kind : {SamplingOptions{}, SamplingOptions{.temperature = 1}}) {
    const Request r = request(kind);
    const Generation g = generate(r, drafted_by(draft));
    expect_same(generate(r, {}), g);
    EXPECT_GT(g.timings.drafted_tokens, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Speculation, ::testing::ValuesIn(tiny_families().begin(), tiny_families().end()));

Json wide_window() {
  Json config = tiny_config("gemma3");
  config["sliding_window"] = 126;  // with the 8 tokens of a step more than two pages
  return config;
}

class SpeculationInAWindow : public Speculation {
 protected:
  SpeculationInAWindow() : Speculation(wide_window()) {}
};

TEST_F(SpeculationInAWindow, RejectedGuessesWriteOverNothingThatIsStillSeen) {
  const Request r = request({.temperature = 1, .logprobs = 1});
  const Generation plain = generate(r, {});
  expect_same(plain, generate(r, spoiled(r, plain)));
}

class SpeculationRefused : public Speculation {
 protected:
  SpeculationRefused() : Speculation(tiny_config("llama")) {}
};

TEST_F(SpeculationRefused, UnderFastNumerics) {
  model_ = load(place_.path() / "model", Numerics::fast);
  EXPECT_THROW(generate(request({}), kNgram), Error);
  EXPECT_NO_THROW(generate(request({}, 1), {}));
}

TEST_F(SpeculationRefused, WithMoreGuessesThanThePlanHasRoomFor) {
  EXPECT_NO_THROW(Engine(model_, *tokenizer_, {1, kMaxTokens, 1, 16, kNgram, kDraftTokens}));
  EXPECT_THROW(Engine(model_, *tokenizer_, {1, kMaxTokens, 1, 16, kNgram, kDraftTokens + 1}), Error);
  EXPECT_THROW(Engine(model_, *tokenizer_, {1, kMaxTokens, 1, 16, kNgram, 0}), Error);
}

TEST_F(SpeculationRefused, WithADraftOfAnotherVocabulary) {
  ModelPlan other = *model_;
  other.tokenizer.pieces = {};
  for (size_t id = 0; id < model_->tokenizer.pieces.size(); ++id)
    other.tokenizer.pieces.push_back(id == 70 ? "other" : model_->tokenizer.pieces[id]);
  try {
    generate(request({}), drafted_by(std::make_shared<ModelPlan>(other)));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "draft");
    EXPECT_NE(error.message().find("token 70 is \"other\""), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace hyalite
