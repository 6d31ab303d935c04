// Names the rule of a pipeline in its errors.
#pragma once

#include <string>

#include "base/error.h"

namespace hyalite {

// Calls work(), which makes or applies a rule; what it throws is said to be of "pipeline index".
template <class Work>
void at_rule(const char* pipeline, size_t index, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    throw Error(error.code(), std::string(pipeline) + " " + std::to_string(index) + ": " + error.where(), error.message());
  }
}

}  // namespace hyalite
