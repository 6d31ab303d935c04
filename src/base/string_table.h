// Many strings in one allocation, by index: a vocabulary of 10^5 pieces costs two vectors instead of 10^5 heap blocks. And a hash index
// from string to number over such tables.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace hyalite {

// Append-only. Views stay valid until the next append. At most 4 GiB of text: the caller bounds its input.
class StringTable {
 public:
  StringTable() = default;
  StringTable(std::initializer_list<std::string_view> strings) {
    for (std::string_view s : strings) push_back(s);
  }

  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  std::string_view operator[](size_t i) const {
    const uint32_t begin = i == 0 ? 0 : ends_[i - 1];
    return {text_.data() + begin, ends_[i] - begin};
  }
  std::string_view back() const { return (*this)[size() - 1]; }
  const std::string& text() const { return text_; }  // all strings, joined

  void push_back(std::string_view s) {
    text_.append(s);
    ends_.push_back(static_cast<uint32_t>(text_.size()));
  }
  void reserve(size_t strings, size_t bytes) {
    ends_.reserve(strings);
    text_.reserve(bytes);
  }

  bool operator==(const StringTable&) const = default;

 private:
  std::string text_;
  std::vector<uint32_t> ends_;
};

// Open addressing from string to a number the caller chooses. Keeps no text: `table` must outlive it and hold the key of number n at n.
class StringIndex {
 public:
  explicit StringIndex(size_t expected = 0) { resize(expected); }

  // The number of the key, or -1.
  int32_t find(std::string_view key, const StringTable& table) const {
    const uint64_t h = hash(key);
    for (size_t slot = h & mask_;; slot = (slot + 1) & mask_) {
      const Slot& s = slots_[slot];
      if (s.number < 0) return -1;
      if (s.tag == static_cast<uint32_t>(h >> 32) && table[static_cast<size_t>(s.number)] == key) return s.number;
    }
  }

  // False, and nothing changed, where an equal key is there. `number` >= 0.
  bool add(int32_t number, const StringTable& table) {
    if ((used_ + 1) * 5 > slots_.size() * 3) grow();
    const std::string_view key = table[static_cast<size_t>(number)];
    const uint64_t h = hash(key);
    size_t slot = h & mask_;
    for (; slots_[slot].number >= 0; slot = (slot + 1) & mask_)
      if (slots_[slot].tag == static_cast<uint32_t>(h >> 32) && table[static_cast<size_t>(slots_[slot].number)] == key) return false;
    slots_[slot] = {static_cast<uint32_t>(h >> 32), static_cast<uint32_t>(h), number};
    ++used_;
    return true;
  }

  static uint64_t hash(std::string_view key) {
    uint64_t h = 0x9e3779b97f4a7c15u ^ key.size();
    const char* p = key.data();
    size_t left = key.size();
    for (; left >= 8; p += 8, left -= 8) h = mix(h ^ load(p, 8));
    return mix(h ^ load(p, left));
  }

 private:
  struct Slot {
    uint32_t tag = 0, low = 0;
    int32_t number = -1;
  };

  static uint64_t load(const char* p, size_t bytes) {
    uint64_t v = 0;
    std::memcpy(&v, p, bytes);
    return v;
  }
  // The finaliser of MurmurHash3 (its two multipliers are that function's constants): every input bit reaches both halves.
  static uint64_t mix(uint64_t h) {
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
    return h ^ (h >> 33);
  }
  void resize(size_t expected) {
    size_t slots = 16;
    while (slots * 3 < expected * 5) slots *= 2;
    slots_.assign(slots, {});
    mask_ = slots - 1;
  }
  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.size() * 2, {});
    mask_ = slots_.size() - 1;
    for (const Slot& s : old) {
      if (s.number < 0) continue;
      size_t slot = s.low & mask_;
      while (slots_[slot].number >= 0) slot = (slot + 1) & mask_;
      slots_[slot] = s;
    }
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0, used_ = 0;
};

}  // namespace hyalite
