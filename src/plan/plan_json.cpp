#include <array>

#include "base/json_reader.h"
#include "ops/type_rules.h"
#include "plan/attrs_json.h"
#include "plan/execution_plan.h"
#include "plan/plan_check.h"

namespace hyalite {
namespace {

constexpr std::array kOperandKinds = {"none", "arena", "weight", "packed", "ids", "batch", "cache"};
constexpr std::array kCacheKinds = {"paged", "sliding_window"};
constexpr std::array kModes = {"prefill", "decode"};

// The value that a word stands for: `named` gives none for unknown ones.
template <class Named>
auto value_of(const JsonReader& from, const char* field, Named&& named) {
  const auto word = from.get<std::string>(field);
  const auto value = named(word);
  if (!value) from.fail(std::string("field ") + field + " has the unknown value " + word);
  return *value;
}

Json type_to_json(const TensorType& type) {
  Json dims = Json::array();
  for (const Dim& dim : type.dims) dims.push_back(dim.is_symbol() ? Json(std::string(1, dim.name())) : Json(dim.value()));
  return {{"dtype", format_of(type.dtype).name}, {"dims", dims}};
}

DType dtype_of(const JsonReader& from) {
  return value_of(from, "dtype", dtype_named);
}

TensorType tensor_of(const JsonReader& from) {
  TensorType type{dtype_of(from), {}};
  const Json& dims = from.field("dims");
  if (!dims.is_array() || dims.size() > kMaxRank) from.fail("field dims must be a list of at most 4");
  for (const Json& dim : dims) {
    if (dim.is_string() && (dim == "T" || dim == "B" || dim == "L"))
      type.dims.push_back(Dim::symbol(dim.get<std::string>()[0]));
    else if (dim.is_number_integer() && dim.get<int64_t>() > 0)
      type.dims.emplace_back(dim.get<int64_t>());
    else
      from.fail("a dimension must be T, B, L or a positive integer");
  }
  check_type(ValueType::of(type), from.where());
  return type;
}

Json operand_to_json(const PlanOperand& operand) {
  Json json = {{"kind", kOperandKinds[static_cast<int>(operand.kind)]}};
  if (operand.kind == PlanOperand::Kind::none) return json;
  json["name"] = operand.name;
  if (operand.kind == PlanOperand::Kind::arena) json["offset"] = operand.offset;
  if (operand.kind == PlanOperand::Kind::weight || operand.kind == PlanOperand::Kind::packed) json["index"] = operand.index;
  if (operand.type.kind == ValueType::Kind::tensor) json["type"] = type_to_json(operand.type.tensor);
  return json;
}

PlanOperand operand_of(const JsonReader& from) {
  using Kind = PlanOperand::Kind;
  PlanOperand operand{.kind = static_cast<Kind>(from.one_of("kind", kOperandKinds))};
  if (operand.kind == Kind::none) return operand;
  operand.name = from.get<std::string>("name");
  if (operand.kind == Kind::arena) operand.offset = from.get<int64_t>("offset");
  if (operand.kind == Kind::weight || operand.kind == Kind::packed) operand.index = from.get<int32_t>("index");
  if (operand.kind == Kind::batch)
    operand.type = ValueType::batch();
  else if (operand.kind == Kind::cache)
    operand.type = ValueType::cache();
  else
    operand.type = ValueType::of(tensor_of(from.object("type")));
  return operand;
}

Json operands_to_json(const std::vector<PlanOperand>& operands) {
  Json list = Json::array();
  for (const PlanOperand& operand : operands) list.push_back(operand_to_json(operand));
  return list;
}

Json step_to_json(const PlanStep& step) {
  Json refused = Json::array();
  for (const RefusedVariant& one : step.refused) refused.push_back({{"variant", one.variant}, {"why", one.why}});
  Json json = {{"path", step.path},
               {"op", step.op->name},
               {"variant", step.variant->name},
               {"provider", step.variant->provider},
               {"reason", step.reason},
               {"refused", refused},
               {"bytes", step.cost.bytes},
               {"flops", step.cost.flops},
               {"predicted_us", step.predicted_us},
               {"workspace_bytes", step.workspace_bytes},
               {"layer", step.layer},
               {"attrs", attrs_to_json(step.attrs)},
               {"inputs", operands_to_json(step.inputs)},
               {"outputs", operands_to_json(step.outputs)}};
  if (step.tuned_us > 0) json["tuned_us"] = step.tuned_us;
  return json;
}

PlanStep step_of(const JsonReader& from) {
  PlanStep step{.path = from.get<std::string>("path")};
  auto op = from.get<std::string>("op"), variant = from.get<std::string>("variant");
  step.op = find_op(op);
  if (!step.op) from.fail("unknown op " + op);
  step.variant = find_variant(variant);
  if (!step.variant || step.variant->op != op) from.fail("this build has no variant " + variant + " of " + op);
  step.reason = from.get<std::string>("reason");
  from.each("refused", [&](const JsonReader& one) {
    step.refused.push_back({one.get<std::string>("variant"), one.get<std::string>("why")});
  });
  step.cost = {from.get<double>("flops"), from.get<double>("bytes")};
  step.predicted_us = from.get<double>("predicted_us");
  if (from.has("tuned_us")) step.tuned_us = from.get<double>("tuned_us");
  if (!(step.tuned_us >= 0)) from.fail("field tuned_us is no time");
  step.workspace_bytes = from.get<int64_t>("workspace_bytes");
  step.layer = from.get<int32_t>("layer");
  step.attrs = attrs_from_json(from.field("attrs"), step.path);
  from.each("inputs", [&](const JsonReader& one) { step.inputs.push_back(operand_of(one)); });
  from.each("outputs", [&](const JsonReader& one) { step.outputs.push_back(operand_of(one)); });
  return step;
}

Json cache_to_json(const CacheSpec& spec) {
  return {{"kind", kCacheKinds[static_cast<int>(spec.kind)]},
          {"kv_heads", spec.kv_heads},
          {"head_dim", spec.head_dim},
          {"window", spec.window},
          {"dtype", format_of(spec.dtype).name}};
}

CacheSpec cache_of(const JsonReader& from) {
  return {static_cast<CacheSpec::Kind>(from.one_of("kind", kCacheKinds)), from.get<int32_t>("kv_heads"), from.get<int32_t>("head_dim"),
          from.get<int32_t>("window"), dtype_of(from)};
}

PlanWeight weight_of(const JsonReader& from) {
  PlanWeight weight{.name = from.get<std::string>("name"), .type = tensor_of(from)};
  weight.converted_from = from.get<std::string>("converted_from");
  weight.values = from.get<std::vector<double>>("values");
  weight.as_is = from.get<bool>("as_is");
  weight.packed = from.get<std::string>("packed");
  return weight;
}

}  // namespace

Json to_json(const ExecutionPlan& plan) {
  Json steps = Json::array(), weights = Json::array(), caches = Json::array();
  for (const PlanStep& step : plan.steps) steps.push_back(step_to_json(step));
  for (const CacheSpec& spec : plan.caches) caches.push_back(cache_to_json(spec));
  for (const PlanWeight& weight : plan.weights) {
    Json json = type_to_json(weight.type);
    json.update({{"name", weight.name},
                 {"converted_from", weight.converted_from},
                 {"values", weight.values},
                 {"as_is", weight.as_is},
                 {"packed", weight.packed}});
    weights.push_back(std::move(json));
  }
  return {{"mode", plan.mode},
          {"isa", name_of(plan.isa)},
          {"numerics", name_of(plan.numerics)},
          {"max_tokens", plan.max_symbols.tokens},
          {"max_sequences", plan.max_symbols.sequences},
          {"max_logits_rows", plan.max_symbols.logits_rows},
          {"max_positions", plan.max_positions},
          {"arena_bytes", plan.arena_bytes},
          {"workspace_bytes", plan.workspace_bytes},
          {"vocab", plan.vocab},
          {"logits", operand_to_json(plan.logits)},
          {"steps", steps},
          {"caches", caches},
          {"weights", weights}};
}

ExecutionPlan plan_from_json(const Json& json, const std::string& where, PlanState state) {
  JsonReader from(json, where);
  ExecutionPlan plan{.mode = kModes[from.one_of("mode", kModes)]};
  plan.isa = value_of(from, "isa", isa_level_named);
  plan.numerics = value_of(from, "numerics", numerics_named);
  plan.max_symbols = {from.get<int64_t>("max_tokens"), from.get<int64_t>("max_sequences"), from.get<int64_t>("max_logits_rows")};
  plan.max_positions = from.get<int64_t>("max_positions");
  plan.arena_bytes = from.get<int64_t>("arena_bytes");
  plan.workspace_bytes = from.get<int64_t>("workspace_bytes");
  plan.vocab = from.get<int64_t>("vocab");
  plan.logits = operand_of(from.object("logits"));
  from.each("caches", [&](const JsonReader& one) { plan.caches.push_back(cache_of(one)); });
  from.each("weights", [&](const JsonReader& one) { plan.weights.push_back(weight_of(one)); });
  from.each("steps", [&](const JsonReader& one) { plan.steps.push_back(step_of(one)); });
  if (state == PlanState::complete) check_plan(plan, where);
  return plan;
}

}  // namespace hyalite
