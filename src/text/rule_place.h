// Names the rule of a pipeline in the errors of making it.
#pragma once

#include <string>

#include "base/error.h"

namespace hyalite {

// Calls make(); what it throws is said to be of "pipeline index".
template <class Make>
void make_rule(const char* pipeline, size_t index, const Make& make) {
  try {
    make();
  } catch (const Error& error) {
    throw Error(error.code(), std::string(pipeline) + " " + std::to_string(index) + ": " + error.where(), error.message());
  }
}

}  // namespace hyalite
