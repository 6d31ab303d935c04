// The parts of an artifact that run: a schedule that is accepted comes back the same from its own text, and its caches have a size or are
// refused; a tokenizer comes back the same too, and is used as those do that make no Tokenizer of it: compared with another, and written
// into a GGUF file.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "attempt.h"
#include "base/error.h"
#include "base/tokenizer_spec_json.h"
#include "plan/execution_plan.h"
#include "runtime/kv_pool.h"
#include "workbench/quantize/gguf_keys.h"

namespace {

using namespace hyalite;

void use(const TokenizerSpec& spec) {
  const Json text = tokenizer_spec_to_json(spec);
  HYALITE_CHECK(tokenizer_spec_to_json(tokenizer_spec_from_json(text, "tokenizer.json")) == text, "the rules' text is other rules");
  HYALITE_CHECK(!first_difference(spec, spec), "a vocabulary differs from itself");
  first_difference(spec, {});
  GgufPairs pairs;
  std::vector<std::string> remarks;
  add_tokenizer_keys(spec, static_cast<int64_t>(spec.pieces.size()) + 1, "input", pairs, remarks);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Json json;
  attempt([&] { json = parse_json({reinterpret_cast<const char*>(data), size}, "input.json"); });
  attempt([&] {
    const ExecutionPlan plan = plan_from_json(json, "schedule.json");
    attempt([&] {
      const Symbols& most = plan.max_symbols;
      KvPool::bytes_needed(plan.caches, {plan.max_positions, most.sequences, most.tokens});
    });
    const Json text = to_json(plan);
    HYALITE_CHECK(to_json(plan_from_json(text, "schedule.json")) == text, "the plan's text is another plan");
  });
  attempt([&] { use(tokenizer_spec_from_json(json, "tokenizer.json")); });
  return 0;
}
