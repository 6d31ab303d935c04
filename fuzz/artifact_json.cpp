// The parts of an artifact that run: a schedule that is accepted comes back the same from its own text, and its caches have a size or are
// refused; tokenizer rules are read or refused.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "attempt.h"
#include "base/error.h"
#include "base/tokenizer_spec_json.h"
#include "plan/execution_plan.h"
#include "runtime/kv_pool.h"

namespace {

using namespace hyalite;

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
  attempt([&] {
    const Json text = tokenizer_spec_to_json(tokenizer_spec_from_json(json, "tokenizer.json"));
    HYALITE_CHECK(tokenizer_spec_to_json(tokenizer_spec_from_json(text, "tokenizer.json")) == text, "the rules' text is other rules");
  });
  return 0;
}
