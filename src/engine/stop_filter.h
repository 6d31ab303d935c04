// Stop strings across token borders: holds text back as long as it may be the beginning of a stop string.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hyalite {

class StopFilter {
 public:
  // Throws Error{invalid_argument} for an empty stop string.
  explicit StopFilter(std::vector<std::string> stops);

  // Text that is certain to come before any stop string. After a stop string has been found, everything is swallowed.
  std::string push(std::string_view text);
  // The end: what was held back, since no stop string followed.
  std::string finish();
  bool stopped() const { return stopped_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace hyalite
