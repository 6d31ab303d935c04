// Template source -> tokens, with Jinja's whitespace control under trim_blocks and lstrip_blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/jinja/source.h"

namespace hyalite::jinja {

enum class TokenType { data, output_begin, output_end, block_begin, block_end, name, string, integer, real, symbol, end };

struct Token {
  TokenType type;
  uint32_t offset;   // in the source
  std::string text;  // data and strings: the bytes meant (escapes resolved); otherwise as written
};

// The last token has type `end`. Throws Error{unsupported} where the source is no template.
std::vector<Token> tokenize(const Source& source);

}  // namespace hyalite::jinja
