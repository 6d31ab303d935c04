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

// Open addressing from string to a number the caller chooses. Keeps no text: the same `table` is passed to every call, and holds the key of
// number n at n.
class StringIndex {
 public:
  explicit StringIndex(size_t expected = 0) {
    size_t slots = 16;
    while (slots < expected * 2) slots *= 2;
    resize(slots);
  }

  // The number of the key, or -1.
  int32_t find(std::string_view key, const StringTable& table) const { return slots_[slot_of(key, hash(key), table)].number; }

  // False, and nothing changed, where an equal key is there. `number` >= 0.
  bool add(int32_t number, const StringTable& table) {
    if ((used_ + 1) * 3 > slots_.size() * 2) grow();
    const std::string_view key = table[static_cast<size_t>(number)];
    const uint32_t h = hash(key);
    Slot& slot = slots_[slot_of(key, h, table)];
    if (slot.number >= 0) return false;
    slot = {h, number};
    ++used_;
    return true;
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    int32_t number = -1;  // -1: free
  };

  static uint32_t hash(std::string_view key) {
    const char* p = key.data();
    size_t left = key.size();
    uint64_t h = 0x9e3779b97f4a7c15u * (left + 1);
    for (; left > 8; p += 8, left -= 8) h = mix(h ^ load<uint64_t>(p));
    return static_cast<uint32_t>(mix(h ^ tail(p, left)) >> 32);
  }
  template <class T>
  static uint64_t load(const char* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
  }
  // Up to 8 bytes without a loop: two loads that may overlap.
  static uint64_t tail(const char* p, size_t bytes) {
    if (bytes >= 4) return load<uint32_t>(p) | load<uint32_t>(p + bytes - 4) << 32;
    if (bytes == 0) return 0;
    return load<uint8_t>(p) | load<uint8_t>(p + bytes / 2) << 8 | load<uint8_t>(p + bytes - 1) << 16;
  }
  // Half of MurmurHash3's finaliser (its multiplier): the upper half of the result depends on every bit.
  static uint64_t mix(uint64_t h) {
    h *= 0xff51afd7ed558ccdu;
    return (h ^ h >> 32) * 0xc4ceb9fe1a85ec53u;
  }

  // Where the key is, or the free slot where it belongs.
  size_t slot_of(std::string_view key, uint32_t h, const StringTable& table) const {
    size_t slot = h & mask_;
    while (slots_[slot].number >= 0 && !(slots_[slot].hash == h && table[static_cast<size_t>(slots_[slot].number)] == key))
      slot = (slot + 1) & mask_;
    return slot;
  }
  void resize(size_t slots) {
    slots_.assign(slots, {});
    mask_ = slots - 1;
  }
  void grow() {
    const std::vector<Slot> old = std::move(slots_);
    resize(old.size() * 2);
    for (const Slot& s : old) {
      if (s.number < 0) continue;
      size_t slot = s.hash & mask_;
      while (slots_[slot].number >= 0) slot = (slot + 1) & mask_;
      slots_[slot] = s;
    }
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0, used_ = 0;
};

}  // namespace hyalite
