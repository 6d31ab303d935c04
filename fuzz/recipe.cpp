// A quantization recipe: the rules that are accepted have formats that can be written, and are matched with a tensor's name.
#include "workbench/quantize/recipe.h"

#include <cstddef>
#include <cstdint>

#include "attempt.h"
#include "base/error.h"
#include "tensor/encode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hyalite;
  attempt([&] {
    const std::vector<RecipeRule> rules = parse_recipe({reinterpret_cast<const char*>(data), size}, "recipe.txt");
    for (const RecipeRule& rule : rules) HYALITE_CHECK(can_encode(rule.dtype), "a format that cannot be written");
    const std::optional<size_t> rule = rule_for(rules, "blk.11.attn_output");
    HYALITE_CHECK(!rule || *rule < rules.size(), "a rule that is not there");
  });
  return 0;
}
