// A text table for people: columns as wide as their widest cell, numbers to the right.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace hyalite {

class Table {
 public:
  // A header that begins with '>' is aligned to the right.
  explicit Table(std::vector<std::string> headers);
  void row(std::vector<std::string> cells);  // REQUIRES: as many cells as headers
  void print(std::ostream& out) const;

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hyalite
