#include "passes/pass_manager.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "ir/parser.h"
#include "ir/printer.h"

namespace hyalite {
namespace {

constexpr const char* kText = R"(graph @model(%x: tensor<T x 4 x f32>) -> (tensor<T x 4 x f32>) {
  %a = scale %x {factor = 2.0} : tensor<T x 4 x f32> at "a"
  %b = scale %a {factor = 3.0} : tensor<T x 4 x f32> at "b"
  return %b
}
)";

NodeId first(Rewriter& rw) {
  return rw.graph().order().at(0);
}

const Pass kNothing{"nothing", "Changes nothing.", [](Rewriter&, const PassContext&) {}};
const Pass kTriple{"triple", "Edits an attribute.", [](Rewriter& rw, const PassContext&) {
                     rw.set_attr(first(rw), "factor", 6.0);
                     rw.matched(first(rw), "tripled");
                   }};
const Pass kSkip{"skip", "Drops a node.", [](Rewriter& rw, const PassContext&) {
                   NodeId id = first(rw);
                   rw.replace_uses(rw.graph().result(id), rw.graph().inputs()[0]);
                   rw.erase(id);
                 }};
const Pass kBreak{"break", "Leaves a node without an attribute that its op knows.",
                  [](Rewriter& rw, const PassContext&) { rw.set_attr(first(rw), "colour", std::string("red")); }};
constexpr std::string_view kHalves[] = {"left", "right"};
const Pass kSplit{"split", "Makes two graphs.", [](Rewriter& rw, const PassContext&) { rw.note("seen"); }, kHalves};

const Pass* const kPipeline[] = {&kNothing, &kTriple, &kSkip};

Module module_of_text() {
  return parse_module(kText, "test");
}

// One "logit": the product of all factors.
std::vector<float> product(const Module& module) {
  double value = 1;
  for (NodeId id : module.graphs[0].order()) value *= module.graphs[0].node(id).attrs.real("factor");
  return {static_cast<float>(value)};
}

TEST(PassManager, TracesWhatEachPassDid) {
  Module module = module_of_text();
  std::vector<PassTrace> traces = run_passes(kPipeline, module, {});
  ASSERT_EQ(traces.size(), 3u);
  EXPECT_EQ(traces[0].name, "nothing");
  EXPECT_FALSE(traces[0].changed);
  EXPECT_TRUE(traces[1].changed);
  EXPECT_EQ(traces[1].remarks, (std::vector<Remark>{{Remark::Kind::matched, "a", "tripled"}}));
  EXPECT_EQ(traces[2].nodes_before, 2);
  EXPECT_EQ(traces[2].nodes_after, 1);
  EXPECT_TRUE(traces[1].diff.empty() && traces[1].before.empty()) << "not recorded unless asked for";
  EXPECT_EQ(module.stage, "skip");
}

TEST(PassManager, RecordsTextsAndDiffs) {
  Module module = module_of_text();
  std::vector<PassTrace> traces = run_passes(kPipeline, module, {}, {.record_text = true});
  EXPECT_EQ(traces[0].before, kText);
  EXPECT_TRUE(traces[0].diff.empty());
  EXPECT_EQ(traces[1].before, traces[0].after);
  EXPECT_EQ(traces[2].after, print(module));
  EXPECT_NE(traces[1].diff.find("@@"), std::string::npos);
  EXPECT_NE(traces[1].diff.find("\n-  %a = scale %x {factor = 2.0}"), std::string::npos);
  EXPECT_NE(traces[1].diff.find("\n+  %a = scale %x {factor = 6.0}"), std::string::npos);
}

TEST(PassManager, MeasuresOnlyWhatChanged) {
  Module module = module_of_text();
  int calls = 0;
  Validator validator = [&](const Module& m) {
    ++calls;
    return product(m);
  };
  std::vector<PassTrace> traces = run_passes(kPipeline, module, {}, {.validator = validator});
  EXPECT_EQ(traces[0].max_abs_error, 0);
  EXPECT_EQ(traces[1].max_abs_error, 12) << "6 became 18";
  EXPECT_EQ(traces[2].max_abs_error, 15) << "18 became 3";
  EXPECT_EQ(calls, 3) << "once before the first pass, then after each that changed something";
}

TEST(PassManager, NotANumberIsAnError) {
  Module module = module_of_text();
  Validator validator = [&](const Module& m) { return std::vector<float>{m.stage.empty() ? 0.0f : NAN, 0.0f}; };
  EXPECT_TRUE(std::isnan(*run_passes(kPipeline, module, {}, {.validator = validator})[1].max_abs_error));
}

TEST(PassManager, StopsAndResumes) {
  Module module = module_of_text();
  EXPECT_EQ(run_passes(kPipeline, module, {}, {.stop_after = "triple"}).size(), 2u);
  EXPECT_EQ(module.stage, "triple");
  EXPECT_TRUE(run_passes(kPipeline, module, {}, {.stop_after = "nothing"}).empty()) << "that is behind us";
  std::vector<PassTrace> rest = run_passes(kPipeline, module, {});
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].name, "skip");
}

TEST(PassManager, SplitsTheModel) {
  Module module = module_of_text();
  const Pass* const pipeline[] = {&kSplit};
  PassTrace trace = run_passes(pipeline, module, {})[0];
  EXPECT_TRUE(trace.changed);
  EXPECT_EQ(trace.nodes_after, 4);
  ASSERT_EQ(module.graphs.size(), 2u);
  EXPECT_TRUE(module.find("left") && module.find("right") && !module.find("model"));
  EXPECT_EQ(trace.remarks.at(1).path, "@right");
  module.stage.clear();
  EXPECT_FALSE(run_passes(pipeline, module, {})[0].changed);
}

// The error that running throws.
Error failure(std::span<const Pass* const> pipeline, Module module, const PassRunOptions& options = {}) {
  try {
    run_passes(pipeline, module, {}, options);
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::cancelled, "", "nothing was thrown");
}

TEST(PassManager, BlamesThePassThatBrokeTheGraph) {
  const Pass* const pipeline[] = {&kTriple, &kBreak, &kSkip};
  Error error = failure(pipeline, module_of_text());
  EXPECT_EQ(error.code(), ErrorCode::internal);
  EXPECT_NE(error.where().find("pass break"), std::string::npos) << error.what();
}

TEST(PassManager, RefusesABrokenStart) {
  Module module = module_of_text();
  module.graphs[0].node(module.graphs[0].order()[0]).attrs.erase("factor");
  EXPECT_EQ(failure(kPipeline, module).code(), ErrorCode::invalid_model);
}

TEST(PassManager, UnknownNamesAreRefusedWithTheKnownOnes) {
  Error error = failure(kPipeline, module_of_text(), {.stop_after = "trouble"});
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_NE(std::string(error.what()).find("nothing, triple, skip"), std::string::npos) << error.what();
  Module module = module_of_text();
  module.stage = "trouble";
  EXPECT_EQ(failure(kPipeline, module).code(), ErrorCode::invalid_model);
}

}  // namespace
}  // namespace hyalite
