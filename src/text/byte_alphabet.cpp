#include "text/byte_alphabet.h"

#include <array>
#include <cstdint>
#include "base/utf8.h"

namespace hyalite {
namespace {

constexpr char32_t kLetters = 0x144;  // 0x100 and one letter for each of the 68 unprintable bytes

constexpr bool is_printable(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
}

struct Alphabet {
  std::array<char16_t, 256> letter{};
  std::array<int16_t, kLetters> byte{};
};

constexpr Alphabet make_alphabet() {
  Alphabet a;
  for (int16_t& b : a.byte) b = -1;
  char16_t next = 0x100;
  for (int b = 0; b < 256; ++b) {
    a.letter[static_cast<size_t>(b)] = is_printable(b) ? static_cast<char16_t>(b) : next++;
    a.byte[a.letter[static_cast<size_t>(b)]] = static_cast<int16_t>(b);
  }
  return a;
}

constexpr Alphabet kAlphabet = make_alphabet();

}  // namespace

char32_t letter_of_byte(unsigned char byte) {
  return kAlphabet.letter[byte];
}

int byte_of_letter(char32_t letter) {
  return letter < kLetters ? kAlphabet.byte[letter] : -1;
}

std::string to_byte_alphabet(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (char c : bytes) append_utf8(letter_of_byte(static_cast<unsigned char>(c)), out);
  return out;
}

bool append_from_byte_alphabet(std::string_view letters, std::string& out) {
  const size_t before = out.size();
  while (!letters.empty()) {
    const Character c = decode_character(letters);
    const int byte = byte_of_letter(c.code);
    if (byte < 0) {
      out.resize(before);
      return false;
    }
    out.push_back(static_cast<char>(byte));
    letters.remove_prefix(c.bytes);
  }
  return true;
}

}  // namespace hyalite
