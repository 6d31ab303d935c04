// config.json of a packed checkpoint, Hyalite's own form of a quantised model:
//
//   {"model_type": "hyalite", "format_version": 2, "model": {ModelConfig}, "quantization_config": {"quant_method": "hyalite", ...}}
//
// beside it tokenizer.json (base/tokenizer_spec_json.h) and model.safetensors. There a tensor X of tensor_specs is X.weight (a bias
// X.bias keeps its name), vectors and matrices that stayed floats as they are; packed ones are U8 and have X.weight_scale and
// X.weight_zero_point: value = scale * (code - zero).
//   int8   codes [rows, columns], scales F32 [rows], zero points U8 [rows]
//   int4   two codes a byte, the even column in the low nibble, [rows, columns / 2]; scales F16 and zero points U8 [rows, groups], where
//          columns / groups is 32, 64 or 128
// `quantization_config` says for people how that was made; readers go by the tensors.
#pragma once

#include <string>

#include "base/json.h"
#include "models/config.h"

namespace hyalite {

inline constexpr int64_t kPackedVersion = 2;

// Throws Error{invalid_model} with `where`, Error{unsupported} for another format version.
ModelConfig packed_config_from_json(const Json& json, const std::string& where);
Json packed_config_to_json(const ModelConfig& config, Json quantization);

// "blk.0.attn_q" -> "blk.0.attn_q.weight"; biases keep their names.
std::string packed_name(const std::string& canonical);

// Does it call itself a packed checkpoint?
bool is_packed_config(const Json& json);

}  // namespace hyalite
