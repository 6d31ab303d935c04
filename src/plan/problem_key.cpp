#include "plan/problem_key.h"

#include <fmt/format.h>

namespace hyalite {
namespace {

std::string text_of(const TensorType& type, const Symbols& symbols) {
  std::string dims;
  for (const Dim& dim : type.dims) {
    if (!dims.empty()) dims += " x ";
    dims += dim.is_symbol() ? std::string(row_range(dim.bind(symbols))) : std::to_string(dim.value());
  }
  return fmt::format("{}[{}]", format_of(type.dtype).name, dims);
}

// Batches and caches say nothing by their type; an absent operand does.
void add(const ValueType& type, const Symbols& symbols, std::string& key) {
  if (type.kind == ValueType::Kind::tensor) key += " " + text_of(type.tensor, symbols);
  if (type.kind == ValueType::Kind::unknown) key += " -";
}

void add(const std::string& name, const AttrValue& value, std::string& key) {
  if (const auto* flag = std::get_if<bool>(&value)) key += fmt::format(" {}={}", name, *flag);
  if (const auto* count = std::get_if<int64_t>(&value)) key += fmt::format(" {}={}", name, *count);
  if (const auto* word = std::get_if<std::string>(&value)) key += fmt::format(" {}={}", name, *word);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) key += fmt::format(" {}={}", name, fmt::join(*list, ","));
}

}  // namespace

std::string_view row_range(int64_t rows) {
  if (rows <= 1) return "1";
  if (rows <= 8) return "2-8";
  return rows <= 64 ? "9-64" : "65+";
}

std::string problem_key(const OpSpec& op, const Problem& problem, std::string_view layout, const ProblemScope& scope) {
  std::string key(op.name);
  for (const ValueType& operand : problem.operands) add(operand, problem.symbols, key);
  key += " ->";
  for (const ValueType& result : problem.results) add(result, problem.symbols, key);
  if (!layout.empty()) key += fmt::format(" {}", layout);
  if (problem.cache) key += fmt::format(" cache={}", format_of(problem.cache->dtype).name);
  for (const auto& [name, value] : problem.attrs->items())
    if (name != "layer") add(name, value, key);
  return key +
         fmt::format(", {} {} {} thread{}", name_of(scope.isa), name_of(scope.numerics), scope.threads, scope.threads == 1 ? "" : "s");
}

}  // namespace hyalite
