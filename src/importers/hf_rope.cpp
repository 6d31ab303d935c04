#include "importers/hf_rope.h"

#include "importers/rope_scaling.h"

namespace hyalite {
namespace {

// The parameters of one kind of layer and what lies around them in config.json.
class RopeReader {
 public:
  RopeReader(const JsonFields& config, const std::optional<JsonFields>& parameters, const ModelConfig& model)
      : config_(config), parameters_(parameters ? *parameters : config), scaled_(parameters.has_value()), model_(model) {}

  RopeConfig read(double default_theta) const {
    RopeConfig rope;
    rope.theta = scaled_ && parameters_.has("rope_theta") ? *parameters_.number("rope_theta") : default_theta;
    rope.rotary_dim = static_cast<int>(std::min<int64_t>(model_.head_dim, 1 << 20));
    refuse_part(config_);
    if (!scaled_) return rope;
    refuse_part(parameters_);
    read_scaling(type(), rope);
    return rope;
  }

 private:
  // The classes of these families rotate whole heads whatever the factor says, so a part would give other results than theirs.
  static void refuse_part(const JsonFields& fields) {
    if (fields.number("partial_rotary_factor").value_or(1) != 1)
      fields.unsupported("partial_rotary_factor", "is not 1; the model's class rotates whole heads");
  }

  // Older files call it `type`, and some write both.
  std::string type() const {
    const auto type = parameters_.string("rope_type"), old_type = parameters_.string("type");
    if (type && old_type && *type != *old_type) parameters_.refuse("rope_type", "is \"" + *type + "\", but type is \"" + *old_type + "\"");
    if (!type && !old_type && parameters_.has("factor")) parameters_.refuse("rope_type", "is missing beside factor");
    return type ? *type : old_type.value_or("default");
  }

  void read_scaling(const std::string& type, RopeConfig& rope) const {
    if (type == "default") return;
    if (type == "linear") {
      rope.scaling = RopeScaling::linear;
      rope.factor = required("factor");
    } else if (type == "llama3") {
      rope.scaling = RopeScaling::llama3;
      rope.factor = required("factor");
      rope.low_freq_factor = required("low_freq_factor");
      rope.high_freq_factor = required("high_freq_factor");
      rope.original_context = original_context();
    } else if (type == "yarn") {
      read_yarn(rope);
    } else {
      parameters_.unsupported("rope_type", "Hyalite has no rope type \"" + type + "\"");
    }
  }

  void read_yarn(RopeConfig& rope) const {
    rope.scaling = RopeScaling::yarn;
    rope.original_context = original_context();
    if (rope.original_context < 1) parameters_.refuse("original_max_position_embeddings", "is not positive");
    rope.factor =
        parameters_.number("factor").value_or(static_cast<double>(model_.context_length) / static_cast<double>(rope.original_context));
    if (rope.factor <= 0) parameters_.refuse("factor", "is not positive");
    rope.beta_fast = parameters_.number("beta_fast").value_or(32);
    rope.beta_slow = parameters_.number("beta_slow").value_or(1);
    rope.truncate = parameters_.boolean("truncate").value_or(true);
    const auto attention_factor = parameters_.number("attention_factor");
    rope.attention_factor = attention_factor ? *attention_factor
                                             : yarn_attention_factor(rope.factor, parameters_.number("mscale").value_or(0),
                                                                     parameters_.number("mscale_all_dim").value_or(0));
  }

  double required(const char* field) const {
    const auto value = parameters_.number(field);
    if (!value) parameters_.refuse(field, "is missing");
    return *value;
  }

  int64_t original_context() const {
    if (const auto outer = config_.integer("original_max_position_embeddings")) return *outer;
    return parameters_.integer("original_max_position_embeddings").value_or(model_.context_length);
  }

  const JsonFields& config_;
  const JsonFields parameters_;
  const bool scaled_;
  const ModelConfig& model_;
};

std::optional<JsonFields> parameters_of(const JsonFields& fields) {
  auto parameters = fields.object("rope_parameters");
  return parameters ? parameters : fields.object("rope_scaling");
}

}  // namespace

void read_rope(const JsonFields& fields, double default_theta, ModelConfig& config) {
  auto parameters = parameters_of(fields);
  if (parameters && parameters->has("full_attention")) parameters = parameters->object("full_attention");
  config.rope = RopeReader(fields, parameters, config).read(fields.number("rope_theta").value_or(default_theta));
  config.local_rope = config.rope;
}

void read_gemma_rope(const JsonFields& fields, ModelConfig& config) {
  auto full = parameters_of(fields);
  std::optional<JsonFields> sliding;
  if (full && (full->has("full_attention") || full->has("sliding_attention"))) {
    sliding = full->object("sliding_attention");
    full = full->object("full_attention");
  }
  config.rope = RopeReader(fields, full, config).read(fields.number("rope_theta").value_or(1e6));
  config.local_rope = RopeReader(fields, sliding, config).read(fields.number("rope_local_base_freq").value_or(10000));
}

}  // namespace hyalite
