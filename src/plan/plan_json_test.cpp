#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/execution_plan.h"
#include "plan/testing_plan.h"

namespace hyalite {
namespace {

Json example() {
  return to_json(testing::make_plan(testing::mlp_graph(2), {CacheSpec{CacheSpec::Kind::sliding_window, 2, 64, 32, DType::bf16}},
                                    testing::plan_options(IsaLevel::avx2)));
}

TEST(PlanJson, RoundTripsThroughText) {
  Json json = example();
  Json again = to_json(plan_from_json(Json::parse(json.dump()), "plan"));
  EXPECT_EQ(json.dump(), again.dump());
}

// Each edit must be refused, naming the place.
TEST(PlanJson, RefusesWhatCouldNotRun) {
  struct Case {
    const char* what;
    void (*edit)(Json&);
    const char* word;
  };
  const Case cases[] = {
      {"unknown op", [](Json& j) { j["steps"][0]["op"] = "nonsense"; }, "nonsense"},
      {"unknown variant", [](Json& j) { j["steps"][0]["variant"] = "embed.gpu"; }, "embed.gpu"},
      {"variant of another op", [](Json& j) { j["steps"][0]["variant"] = "add.scalar"; }, "add.scalar"},
      {"offset past the arena", [](Json& j) { j["steps"][1]["outputs"][0]["offset"] = int64_t{1} << 40; }, "arena"},
      {"negative offset", [](Json& j) { j["steps"][1]["outputs"][0]["offset"] = -64; }, "arena"},
      {"weight index", [](Json& j) { j["steps"][0]["inputs"][1]["index"] = 999; }, "999"},
      {"missing operand", [](Json& j) { j["steps"][1]["inputs"].erase(0); }, "operands"},
      {"workspace", [](Json& j) { j["steps"][1]["workspace_bytes"] = int64_t{1} << 40; }, "workspace"},
      {"no steps", [](Json& j) { j.erase("steps"); }, "steps"},
      {"dimension", [](Json& j) { j["weights"][0]["dims"][0] = -3; }, "dimension"},
      {"wrong type", [](Json& j) { j["arena_bytes"] = "much"; }, "arena_bytes"},
      {"more memory than any machine", [](Json& j) { j["arena_bytes"] = (int64_t{1} << 56) + 1; }, "arena"},
      {"weights of more than any machine",
       [](Json& j) {
         for (Json& weight : j["weights"])
           if (weight["dims"].size() == 2) weight["dims"][0] = int64_t{1} << 47;
       },
       "weights"},
      {"a weight whose size overflows", [](Json& j) { j["weights"][0]["dims"][0] = int64_t{1} << 62; },
       "json.weights[0]: tensor<4611686018427387904 x "},
      {"fraction", [](Json& j) { j["arena_bytes"] = 64.5; }, "arena_bytes"},
      {"unknown mode", [](Json& j) { j["mode"] = "both"; }, "unknown value both"},
      {"unknown instruction set", [](Json& j) { j["isa"] = "avx1024"; }, "unknown value avx1024"},
      {"unknown numerics", [](Json& j) { j["numerics"] = "sloppy"; }, "unknown value sloppy"},
      {"no tokens", [](Json& j) { j["max_tokens"] = 0; }, "count"},
      {"more tokens than a batch can count", [](Json& j) { j["max_tokens"] = int64_t{1} << 32; }, "count"},
      {"operand of another type than its weight", [](Json& j) { j["steps"][0]["inputs"][1]["type"]["dims"][0] = 9600; }, "weight table"},
      {"table with fewer rows than the vocabulary", [](Json& j) { j["vocab"] = 97; }, "vocabulary"},
      {"result of another type", [](Json& j) { j["steps"][0]["outputs"][0]["type"]["dims"][1] = 32; }, "op makes"},
      {"missing attribute", [](Json& j) { j["steps"][1]["attrs"].erase("eps"); }, "eps"},
      {"attribute of no op", [](Json& j) { j["steps"][1]["attrs"]["colour"] = true; }, "attribute colour is not one"},
      {"attribute of another type", [](Json& j) { j["steps"][1]["attrs"]["eps"] = "small"; }, "attribute eps must be a number"},
      {"layer without a cache operand", [](Json& j) { j["steps"][1]["layer"] = 0; }, "layer"},
      {"cache without heads", [](Json& j) { j["caches"][0]["kv_heads"] = 0; }, "cache"},
      {"more heads than any model", [](Json& j) { j["caches"][0]["kv_heads"] = (1 << 16) + 1; }, "cache"},
      {"larger heads than any model", [](Json& j) { j["caches"][0]["head_dim"] = (1 << 14) + 1; }, "cache"},
      {"logits that are no activation", [](Json& j) { j["logits"]["kind"] = "cache"; }, "logits"},
      {"an input that no step makes", [](Json& j) { j["steps"][1]["inputs"][0]["name"] = "never"; }, "never"},
      {"an input elsewhere", [](Json& j) { j["steps"][1]["inputs"][0]["offset"] = 64; }, "elsewhere"},
      {"a value made twice", [](Json& j) { j["steps"][2]["outputs"][0]["name"] = j["steps"][1]["outputs"][0]["name"]; }, "earlier"},
      {"a result in its input's place",
       [](Json& j) {
         const Json place = j["steps"][1]["inputs"][0]["offset"];
         const Json moved = j["steps"][1]["outputs"][0]["name"];
         for (Json& step : j["steps"])
           for (const char* list : {"inputs", "outputs"})
             for (Json& operand : step[list])
               if (operand.value("name", Json()) == moved) operand["offset"] = place;
       },
       "still lies"},
      {"no workspace",
       [](Json& j) {
         j["workspace_bytes"] = 0;
         for (Json& step : j["steps"]) step["workspace_bytes"] = 0;
       },
       "workspace"},
  };
  for (const Case& one : cases) {
    Json json = example();
    one.edit(json);
    try {
      plan_from_json(json, "schedules/decode.json");
      ADD_FAILURE() << one.what << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_model) << one.what;
      EXPECT_NE(std::string(error.what()).find(one.word), std::string::npos) << one.what << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find("schedules/decode.json"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace hyalite
