// What most tests include; compiled once. Tests still include what they use.
#include "../cmake/precompiled.h"

#include <gtest/gtest.h>
