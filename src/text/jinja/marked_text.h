// A string that knows which of its bytes came from a user. Every operation of the interpreter on text goes through it, so that
// the mark survives concatenation, slicing, trimming, replacing and case mapping.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/prompt.h"

namespace hyalite::jinja {

class MarkedText {
 public:
  MarkedText() = default;
  MarkedText(std::string_view bytes, bool user) { append(bytes, user); }

  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  // Whether any byte came from a user.
  bool any_user() const;
  // Whether the byte at `offset` did. REQUIRES: offset < size().
  bool user_at(size_t offset) const { return runs_[run_of(offset)].user; }

  void append(std::string_view bytes, bool user);
  void append(const MarkedText& other) { append_slice(other, 0, other.size()); }
  // Bytes [begin, end) of `other`, which may be this text. REQUIRES: begin <= end <= other.size().
  void append_slice(const MarkedText& other, size_t begin, size_t end);

  MarkedText slice(size_t begin, size_t end) const;

  // The text as spans; neighbours differ in origin, none is empty.
  Prompt spans() const;

 private:
  struct Run {
    size_t end;  // offset behind the run's last byte; it begins where the one before ends
    bool user;
  };

  size_t run_of(size_t offset) const;

  std::string bytes_;
  std::vector<Run> runs_;
};

}  // namespace hyalite::jinja
