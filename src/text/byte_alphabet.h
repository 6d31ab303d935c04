// The GPT-2 byte alphabet: a printable character for each of the 256 bytes, in which byte-level vocabularies are written. Bytes that are
// printable in Latin-1 stand for themselves, the others for U+0100, U+0101, ... in order.
#pragma once

#include <string>
#include <string_view>

namespace hyalite {

char32_t letter_of_byte(unsigned char byte);

// The byte that `letter` stands for, or -1.
int byte_of_letter(char32_t letter);

std::string to_byte_alphabet(std::string_view bytes);

// Appends the bytes that valid UTF-8 `letters` stand for. False, and nothing appended, where one is outside the alphabet.
bool append_from_byte_alphabet(std::string_view letters, std::string& out);

}  // namespace hyalite
