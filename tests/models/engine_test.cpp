// The engine's promises on a tiny model: how an answer ends, and what can never be in one.
#include "engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "compile/load.h"
#include "importers/testing/files.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

constexpr int64_t kMaxTokens = 200, kPadding = 5000;

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() {
    Json config = tiny_config("llama");
    config["vocab_size"] = tiny_tokenizer().vocab + kPadding;
    write_tiny_model(place_.path() / "model", config, 3);
    CompileOptions options{.machine = restrict_isa(detect_machine(), IsaLevel::scalar), .isa = IsaLevel::scalar};
    options.max_positions = kMaxTokens;
    ThreadPool pool(1);
    model_ = load_model(place_.path() / "model", options, pool);
    tokenizer_ = std::make_unique<Tokenizer>(model_->tokenizer);
    engine_ = std::make_unique<Engine>(model_, *tokenizer_, EngineOptions{.threads = 2, .max_tokens = kMaxTokens, .prefill_chunk = 4});
  }
  ~EngineTest() override { engine_->steps().kv().check({}); }  // every page is back

  Request request(int64_t count) const {
    return {.prompt = tokenizer_->encode("the cat sat on the mat"), .max_new_tokens = count, .ignore_eos = true};
  }
  Request with_bias(int64_t count, int32_t id, double bias) const {
    Request wanted = request(count);
    wanted.sampling.logit_bias.emplace_back(id, bias);
    return wanted;
  }
  int32_t end_id() const { return tokenizer_->end_of_generation().front(); }

  hyalite::testing::TemporaryDirectory place_;
  std::shared_ptr<const ModelPlan> model_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineTest, EndsAtItsLength) {
  const Generation g = engine_->generate(request(7));
  EXPECT_EQ(g.finish_reason, "length");
  EXPECT_EQ(g.ids.size(), 7u);
  EXPECT_EQ(g.usage.completion_tokens, 7);
  EXPECT_EQ(g.usage.prompt_tokens, std::ssize(request(1).prompt));
}

TEST_F(EngineTest, EndsAtAnEndToken) {
  Request wanted = with_bias(7, end_id(), 1e6);
  wanted.ignore_eos = false;
  const Generation g = engine_->generate(wanted);
  EXPECT_EQ(g.finish_reason, "stop");
  EXPECT_EQ(g.ids, std::vector<int32_t>{end_id()});
  EXPECT_EQ(g.text, "");
}

TEST_F(EngineTest, NeverSamplesAnEndTokenThatIsToBeIgnored) {
  const Generation g = engine_->generate(with_bias(20, end_id(), 1e6));
  EXPECT_EQ(g.ids.size(), 20u);
  EXPECT_EQ(std::ranges::count(g.ids, end_id()), 0);
}

TEST_F(EngineTest, EndsBeforeAStopString) {
  const int32_t letter = tokenizer_->encode("x").back();
  Request wanted = with_bias(20, letter, 1e6);
  wanted.stop = {"xxx"};
  std::string streamed;
  const Generation g = engine_->generate(wanted, [&](std::string_view text) { streamed += text; });
  EXPECT_EQ(g.finish_reason, "stop");
  EXPECT_EQ(g.text, "");
  EXPECT_EQ(streamed, g.text);
  EXPECT_EQ(g.ids.size(), 3u);
}

TEST_F(EngineTest, EndsWhereTheContextIsFull) {
  const Generation g = engine_->generate(request(100000));
  EXPECT_EQ(g.finish_reason, "length");
  EXPECT_EQ(g.usage.prompt_tokens + g.usage.completion_tokens, kMaxTokens);
}

TEST_F(EngineTest, RefusesAPromptThatFillsTheContext) {
  Request wanted = request(1);
  wanted.prompt.resize(kMaxTokens, wanted.prompt[0]);
  try {
    engine_->generate(wanted);
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::context_length_exceeded);
    EXPECT_NE(std::string(error.what()).find(std::to_string(kMaxTokens)), std::string::npos);
  }
}

TEST_F(EngineTest, CancelledInThePromptItAnswersNothing) {
  const std::atomic<bool> cancel = true;
  const Generation g = engine_->generate(request(7), {}, &cancel);
  EXPECT_EQ(g.finish_reason, "cancelled");
  EXPECT_TRUE(g.ids.empty());
  EXPECT_EQ(engine_->generate(request(7)).finish_reason, "length");  // the flag was that request's
}

TEST_F(EngineTest, CancelledInTheAnswerItKeepsWhatThereIs) {
  std::atomic<bool> cancel = false;
  const Generation g = engine_->generate(
      request(100), [&](std::string_view) { cancel = true; }, &cancel);
  EXPECT_EQ(g.finish_reason, "cancelled");
  ASSERT_GE(g.ids.size(), 1u);
  ASSERT_LT(g.ids.size(), 100u);
  const Generation whole = engine_->generate(request(100));
  EXPECT_TRUE(std::equal(g.ids.begin(), g.ids.end(), whole.ids.begin()));
  EXPECT_EQ(whole.text.substr(0, g.text.size()), g.text);
}

// users.md T17: rows of the embedding that no token stands for.
TEST_F(EngineTest, NeverSamplesNorListsPadding) {
  ASSERT_EQ(model_->info.vocab, engine_->valid_ids() + kPadding);
  for (const double temperature : {0.0, 1.0, 100.0}) {
    Request wanted = request(50);
    wanted.sampling.temperature = temperature;
    wanted.sampling.seed = 1;
    wanted.sampling.logprobs = 20;
    for (const SampledToken& token : engine_->generate(wanted).tokens) {
      EXPECT_LT(token.id, engine_->valid_ids());
      EXPECT_EQ(token.top.size(), 20u);
      for (const TokenLogprob& one : token.top) EXPECT_LT(one.id, engine_->valid_ids());
    }
  }
}

TEST_F(EngineTest, RefusesABiasOnPadding) {
  EXPECT_THROW(engine_->generate(with_bias(1, static_cast<int32_t>(engine_->valid_ids()), 1)), Error);
}

}  // namespace
}  // namespace hyalite
