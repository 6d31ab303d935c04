// A verb of the command line: one file each, one row in verbs.inc.
#pragma once

#include <atomic>
#include <functional>
#include <iosfwd>
#include <span>

#include "base/error.h"
#include "cli/option_set.h"

namespace hyalite {

// What every verb gets besides its own options.
struct VerbContext {
  std::ostream& out;   // results, and nothing else
  std::ostream& err;   // everything else
  bool json = false;   // one JSON document on `out`
  bool quiet = false;  // no progress, no remarks on `err`
  // Set by Ctrl-C and by a termination; poll it in long loops and throw Error{cancelled}. Only chat clears it.
  std::atomic<bool>& interrupted;
  const std::atomic<bool>& terminated;  // set by SIGTERM and SIGHUP, never cleared
  std::string machine_file;             // the calibration of this machine (device/calibration.h); empty where there is no place for one
};

using VerbAction = std::function<int(VerbContext&)>;  // returns the exit code; errors are thrown

struct Verb {
  const char* name;
  const char* group;    // heading in `hyalite --help`
  const char* summary;  // one line
  // Adds the verb's options to its subcommand and returns what to do. The options live in the closure.
  VerbAction (*setup)(const OptionSet& set);
};

// In order of `hyalite --help`.
std::span<const Verb* const> all_verbs();

// "hyalite: where: message", in one line. An error that requests to a server end with goes by its name, too.
void print_error(const Error& error, std::ostream& err);

// What main() knows of the world outside.
struct Surroundings {
  std::ostream& out;
  std::ostream& err;
  std::atomic<bool>& interrupted;
  const std::atomic<bool>& terminated;
  std::string machine_file;
};

// Runs the command line: 0 done, 1 failed, 2 usage, 3 invalid model. Prints errors as one line on `err`.
int run_command_line(int argc, const char* const* argv, const Surroundings& surroundings);

}  // namespace hyalite
