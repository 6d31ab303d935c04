// For tests: what an Error says.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace hyalite::testing {

// The one line that `action` is refused with; empty where it is not refused. Errors that are not about the model fail the test.
template <class Action>
std::string refusal_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::invalid_model || error.code() == ErrorCode::unsupported) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

}  // namespace hyalite::testing
