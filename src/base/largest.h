// The greatest of many floats: a greedy step looks through a vocabulary of 250,000 between two steps of all threads.
#pragma once

#include <cstdint>
#include <span>

namespace hyalite {

// Index of the greatest value, of equals the first. NaN counts as less than all; 0 where nothing else is there.
int64_t index_of_largest(std::span<const float> values);

bool any_nan(std::span<const float> values);

}  // namespace hyalite
