#include "cli/table.h"

#include <algorithm>
#include <ostream>

#include "base/error.h"

namespace hyalite {

Table::Table(std::vector<std::string> headers) {
  for (std::string& header : headers) {
    right_.push_back(header.starts_with('>'));
    if (right_.back()) header.erase(0, 1);
  }
  rows_.push_back(std::move(headers));
}

void Table::row(std::vector<std::string> cells) {
  HYALITE_CHECK(cells.size() == right_.size(), "cells of a table row");
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const {
  std::vector<size_t> widths(right_.size(), 0);
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string gap(widths[i] - row[i].size(), ' ');
      line += (i ? "  " : "") + (right_[i] ? gap + row[i] : row[i] + gap);
    }
    out << line.erase(line.find_last_not_of(' ') + 1) << '\n';
  }
}

}  // namespace hyalite
