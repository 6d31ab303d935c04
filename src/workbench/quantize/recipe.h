// Which format each matrix gets: a named mixture ("q4_k_m"), and rules that go before it, read from a file or made by a sensitivity sweep.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/config.h"
#include "tensor/dtype.h"

namespace hyalite {

// A published mixture: most matrices in one format, the head and what suffers most in better ones. As llama.cpp's llama-quantize mixes.
struct Mixture {
  std::string_view name;  // in small letters
  DType base;
  DType head;          // of the matrix that makes the logits
  uint32_t file_type;  // the value of general.file_type
};

// In any case of letters. Throws Error{unsupported} for a format that Hyalite reads and does not write, Error{invalid_argument} for any
// other name; both list what there is.
const Mixture& mixture_named(std::string_view name);
DType mixed_type(const Mixture& mixture, const ModelConfig& config, std::string_view tensor);  // `tensor`: canonical name

struct RecipeRule {
  std::string pattern;  // of canonical tensor names, with * and ?
  DType dtype;
};

// Formats that can be written, from "q4_k,q6_k". The same errors, with `where`.
std::vector<DType> parse_types(std::string_view list, const std::string& where);

// Lines "PATTERN TYPE"; the first that matches a tensor counts; # begins a comment. Throws Error{invalid_argument} naming file and line.
std::vector<RecipeRule> parse_recipe(std::string_view text, const std::string& where);
std::string print_recipe(const std::vector<RecipeRule>& rules);

// The index of the rule that counts for a tensor; nothing where none does.
std::optional<size_t> rule_for(const std::vector<RecipeRule>& rules, std::string_view tensor);

}  // namespace hyalite
