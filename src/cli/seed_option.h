// What every --seed takes.
#pragma once

#include <CLI/CLI.hpp>

namespace hyalite {

// An integer from 0 to 2^64 - 1: the parser of options would take -1 for 2^64 - 1, and cut what is larger.
CLI::Validator any_seed();

}  // namespace hyalite
