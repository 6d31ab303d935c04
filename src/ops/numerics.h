// What a model may give up for speed. Meaning: docs/cli.md, "--numerics".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hyalite {

enum class Numerics : uint8_t {
  deterministic,  // a row's bits do not depend on its company
  fast,           // they may; the difference is bounded
  reference,      // the scalar evaluation in fp32
};

std::string_view name_of(Numerics numerics);  // "deterministic", ...
std::optional<Numerics> numerics_named(std::string_view name);

}  // namespace hyalite
