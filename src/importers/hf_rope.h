// Rotary embedding in config.json: rope_theta with rope_scaling, or rope_parameters as transformers 5 writes them, flat or by layer type.
#pragma once

#include "importers/json_fields.h"
#include "models/config.h"

namespace hyalite {

// Sets config.rope and config.local_rope to the one rope of the model. REQUIRES: head_dim and context_length are set.
// Throws Error{unsupported} naming a rope type that Hyalite has not.
void read_rope(const JsonFields& fields, double default_theta, ModelConfig& config);

// Gemma 3: scaling and base 1e6 on full layers, base 1e4 without scaling on sliding ones, unless the file says otherwise.
void read_gemma_rope(const JsonFields& fields, ModelConfig& config);

}  // namespace hyalite
