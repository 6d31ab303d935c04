#include "models/model_builder.h"

#include <algorithm>

#include "base/error.h"
#include "models/blocks.h"

namespace hyalite {

#define FAMILY(name) void build_##name(BlockBuilder& b);
#include "models/families.inc"
#undef FAMILY

namespace {
constexpr Family kFamilies[] = {
#define FAMILY(name) {#name, build_##name},
#include "models/families.inc"
#undef FAMILY
};

std::string known_families() {
  std::string names;
  for (const Family& family : kFamilies) names += (names.empty() ? "" : ", ") + std::string(family.name);
  return names;
}
}  // namespace

std::span<const Family> families() {
  return kFamilies;
}

const Family* find_family(std::string_view name) {
  auto it = std::ranges::find(kFamilies, name, &Family::name);
  return it == std::end(kFamilies) ? nullptr : it;
}

Module build_model(const ModelConfig& config, const WeightStore& weights) {
  const Family* family = find_family(config.family);
  if (!family) throw Error(ErrorCode::unsupported, "model family " + config.family, "is not one of " + known_families());
  Module module;
  module.graphs.emplace_back("model");
  BlockBuilder builder(config, weights, module.graphs.back());
  family->build(builder);
  return module;
}

std::vector<CacheSpec> cache_specs(const ModelConfig& config, DType dtype) {
  CacheSpec full{.kv_heads = static_cast<int32_t>(config.kv_heads), .head_dim = static_cast<int32_t>(config.head_dim), .dtype = dtype};
  std::vector<CacheSpec> specs(config.layers, full);
  for (int64_t layer = 0; layer < config.layers; ++layer)
    if (slides(config, layer)) {
      specs[layer].kind = CacheSpec::Kind::sliding_window;
      specs[layer].window = static_cast<int32_t>(config.sliding_window);
    }
  return specs;
}

}  // namespace hyalite
