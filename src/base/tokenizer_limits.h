// Bounds of a tokenizer's lists, an order of magnitude beyond every published one. Importers refuse longer lists by file and field, and
// text/ refuses them from any source: every rule of a pipeline takes stack, every id is put into every prompt.
#pragma once

#include <cstddef>

namespace hyalite {

inline constexpr size_t kMaxTextRules = 64;     // of a normalizer, pre-tokenizer or decoder pipeline each
inline constexpr size_t kMaxTemplateIds = 256;  // of a prefix or suffix each, and items of the template that they come from

// Of all pieces joined. What 64 times as much would take is still within a StringTable.
inline constexpr size_t kMaxPieceBytes = size_t{32} << 20;

}  // namespace hyalite
