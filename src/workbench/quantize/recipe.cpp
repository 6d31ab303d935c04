#include "workbench/quantize/recipe.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/error.h"
#include "tensor/encode.h"

namespace hyalite {
namespace {

constexpr Mixture kMixtures[] = {
    {"f32", DType::f32, DType::f32, 0},           {"f16", DType::f16, DType::f16, 1},         {"bf16", DType::bf16, DType::bf16, 32},
    {"q4_0", DType::q4_0, DType::q6_k, 2},        {"q4_1", DType::q4_1, DType::q6_k, 3},      {"q5_0", DType::q5_0, DType::q6_k, 8},
    {"q5_1", DType::q5_1, DType::q6_k, 9},        {"q8_0", DType::q8_0, DType::q8_0, 7},      {"q2_k", DType::q2_k, DType::q6_k, 10},
    {"q2_k_s", DType::q2_k, DType::q6_k, 21},     {"q3_k_s", DType::q3_k, DType::q6_k, 11},   {"q3_k_m", DType::q3_k, DType::q6_k, 12},
    {"q3_k_l", DType::q3_k, DType::q6_k, 13},     {"q4_k_s", DType::q4_k, DType::q6_k, 14},   {"q4_k_m", DType::q4_k, DType::q6_k, 15},
    {"q5_k_s", DType::q5_k, DType::q6_k, 16},     {"q5_k_m", DType::q5_k, DType::q6_k, 17},   {"q6_k", DType::q6_k, DType::q6_k, 18},
    {"iq4_nl", DType::iq4_nl, DType::q6_k, 25},   {"iq4_xs", DType::iq4_xs, DType::q6_k, 30}, {"mxfp4", DType::mxfp4, DType::q8_0, 38},
    {"iq2_xxs", DType::iq2_xxs, DType::q5_k, 19}, {"iq2_xs", DType::iq2_xs, DType::q5_k, 20}, {"iq2_s", DType::iq2_s, DType::q5_k, 28},
    {"iq3_xxs", DType::iq3_xxs, DType::q5_k, 23}, {"iq3_s", DType::iq3_s, DType::q6_k, 26},   {"tq1_0", DType::tq1_0, DType::q6_k, 36},
    {"tq2_0", DType::tq2_0, DType::q6_k, 37},
};

// Names that people use for a mixture of another name.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {{"q3_k", "q3_k_m"}, {"q4_k", "q4_k_m"}, {"q5_k", "q5_k_m"}};

// The layers that a row below is about.
struct Layers {
  int64_t layer, layers, group;  // group: query heads that share a key head
};
bool all(const Layers&) {
  return true;
}
bool grouped(const Layers& l) {
  return l.group >= 4;
}
bool first_two(const Layers& l) {
  return l.layer < 2;
}
bool first_four(const Layers& l) {
  return l.layer < 4;
}
bool first_16th(const Layers& l) {
  return l.layer < l.layers / 16;
}
bool first_8th(const Layers& l) {
  return l.layer < l.layers / 8;
}
// The first and the last eighth, and every third layer between.
bool ends_and_thirds(const Layers& l) {
  const int64_t eighth = l.layers / 8;
  return l.layer < eighth || l.layer >= 7 * l.layers / 8 || (l.layer - eighth) % 3 == 2;
}

struct MixtureRow {
  std::string_view mixture, part;
  bool (*where)(const Layers& layers);
  DType dtype;
};
// The first row that fits counts.
constexpr MixtureRow kRows[] = {
    {"q2_k", "attn_v", grouped, DType::q4_k},
    {"q2_k", "attn_v", all, DType::q3_k},
    {"q2_k", "ffn_down", all, DType::q3_k},
    {"q2_k", "attn_output", all, DType::q3_k},
    {"q2_k_s", "attn_v", grouped, DType::q4_k},
    {"q2_k_s", "ffn_down", first_8th, DType::q4_k},
    {"q3_k_m", "attn_v", first_two, DType::q5_k},
    {"q3_k_m", "attn_v", all, DType::q4_k},
    {"q3_k_m", "ffn_down", first_16th, DType::q5_k},
    {"q3_k_m", "ffn_down", all, DType::q4_k},
    {"q3_k_m", "attn_output", all, DType::q4_k},
    {"q3_k_l", "attn_v", all, DType::q5_k},
    {"q3_k_l", "ffn_down", all, DType::q5_k},
    {"q3_k_l", "attn_output", all, DType::q5_k},
    {"q4_k_s", "attn_v", first_four, DType::q5_k},
    {"q4_k_s", "ffn_down", first_8th, DType::q5_k},
    {"q4_k_m", "attn_v", ends_and_thirds, DType::q6_k},
    {"q4_k_m", "ffn_down", ends_and_thirds, DType::q6_k},
    {"q5_k_m", "attn_v", ends_and_thirds, DType::q6_k},
    {"q5_k_m", "ffn_down", ends_and_thirds, DType::q6_k},
    {"iq4_nl", "attn_v", grouped, DType::q5_k},
    {"iq4_xs", "attn_v", grouped, DType::q5_k},
    {"iq2_xxs", "token_embd", all, DType::q2_k},
    {"iq2_xxs", "attn_v", grouped, DType::q4_k},
    {"iq2_xxs", "attn_v", all, DType::q2_k},
    {"iq2_xxs", "ffn_down", first_8th, DType::q2_k},
    {"iq2_xs", "token_embd", all, DType::q2_k},
    {"iq2_xs", "attn_v", grouped, DType::q4_k},
    {"iq2_xs", "attn_v", all, DType::q2_k},
    {"iq2_xs", "ffn_down", first_8th, DType::q2_k},
    {"iq2_s", "token_embd", all, DType::iq3_s},
    {"iq2_s", "attn_v", grouped, DType::q4_k},
    {"iq2_s", "attn_v", all, DType::iq3_s},
    {"iq2_s", "ffn_down", first_8th, DType::iq3_s},
    {"iq3_xxs", "token_embd", all, DType::iq3_s},
    {"iq3_xxs", "attn_v", grouped, DType::q4_k},
    {"iq3_xxs", "attn_v", all, DType::iq3_s},
    {"iq3_xxs", "ffn_down", first_8th, DType::q4_k},
    {"iq3_s", "attn_v", grouped, DType::q4_k},
    {"tq1_0", "token_embd", all, DType::q4_k},
    {"tq2_0", "token_embd", all, DType::q4_k},
};

std::string in_small_letters(std::string_view name) {
  std::string small(name);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

std::string writable_types() {
  std::string names;
  for (int i = 0; i < kDTypeCount; ++i)
    if (const auto dtype = static_cast<DType>(i); can_encode(dtype))
      names += (names.empty() ? "" : ", ") + std::string(format_of(dtype).name);
  return names;
}

DType writable_type(const std::string& name, const std::string& where) {
  const auto dtype = dtype_named(in_small_letters(name));
  if (!dtype) throw Error(ErrorCode::invalid_argument, where, "\"" + name + "\" is no type; there are " + writable_types());
  if (!can_encode(*dtype))
    throw Error(ErrorCode::invalid_argument, where, "Hyalite does not write " + name + "; it writes " + writable_types());
  return *dtype;
}

}  // namespace

const Mixture& mixture_named(std::string_view name) {
  std::string small = in_small_letters(name);
  for (const auto& [alias, meant] : kAliases)
    if (small == alias) small = meant;
  const auto found = std::ranges::find(kMixtures, small, &Mixture::name);
  if (found != std::end(kMixtures)) return *found;
  std::vector<std::string_view> names;
  for (const Mixture& mixture : kMixtures) names.push_back(mixture.name);
  const std::string known = fmt::format("{}", fmt::join(names, ", ")), where = "--type " + std::string(name);
  if (const auto dtype = dtype_named(small); dtype && format_of(*dtype).is_quantized)
    throw Error(ErrorCode::invalid_argument, where, "Hyalite reads this type and does not write it; it writes " + known);
  throw Error(ErrorCode::invalid_argument, where, "is no type; there are " + known);
}

DType mixed_type(const Mixture& mixture, const ModelConfig& config, std::string_view tensor) {
  if (tensor == (config.tied_embeddings ? "token_embd" : "output")) return mixture.head;
  Layers layers{0, config.layers, config.heads / config.kv_heads};
  std::string_view part = tensor;
  if (tensor.starts_with("blk.")) {
    const auto [dot, error] = std::from_chars(tensor.data() + 4, tensor.data() + tensor.size(), layers.layer);
    part = tensor.substr(static_cast<size_t>(dot - tensor.data()) + 1);
  }
  for (const MixtureRow& row : kRows)
    if (row.mixture == mixture.name && row.part == part && row.where(layers)) return row.dtype;
  return mixture.base;
}

std::vector<DType> parse_types(std::string_view list, const std::string& where) {
  std::vector<DType> types;
  std::istringstream names{std::string(list)};
  for (std::string name; std::getline(names, name, ',');) types.push_back(writable_type(name, where));
  return types;
}

std::vector<RecipeRule> parse_recipe(std::string_view text, const std::string& where) {
  std::vector<RecipeRule> rules;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string place = where + ":" + std::to_string(++number);
    std::istringstream words(line.substr(0, line.find('#')));
    std::string pattern, type, more;
    if (!(words >> pattern)) continue;
    if (!(words >> type) || words >> more) throw Error(ErrorCode::invalid_argument, place, "expected a tensor pattern and a type");
    if (pattern.ends_with(".weight")) pattern.resize(pattern.size() - std::string_view(".weight").size());
    rules.push_back({pattern, writable_type(type, place)});
  }
  return rules;
}

std::string print_recipe(const std::vector<RecipeRule>& rules) {
  std::string text;
  for (const RecipeRule& rule : rules) text += fmt::format("{} {}\n", rule.pattern, format_of(rule.dtype).name);
  return text;
}

std::optional<size_t> rule_for(const std::vector<RecipeRule>& rules, std::string_view tensor) {
  const std::string name(tensor);
  for (size_t i = 0; i < rules.size(); ++i)
    if (fnmatch(rules[i].pattern.c_str(), name.c_str(), 0) == 0) return i;
  return std::nullopt;
}

}  // namespace hyalite
