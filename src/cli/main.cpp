#include <csignal>
#include <cstdlib>
#include <iostream>

#include "base/mapped_file.h"
#include "cli/verb.h"

namespace {

std::atomic<bool> g_interrupted{false};  // a signal handler reaches nothing but globals

// The first Ctrl-C asks; the second ends the process at once.
extern "C" void on_interrupt(int) {
  if (g_interrupted.exchange(true)) std::_Exit(130);
}

// Where the XDG base directory specification puts what can be made anew.
std::string machine_file() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/') return std::string(cache) + "/hyalite/machine.json";
  if (const char* home = std::getenv("HOME"); home && *home) return std::string(home) + "/.cache/hyalite/machine.json";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, on_interrupt);
  std::ios::sync_with_stdio(false);
  hyalite::install_map_fault_handler();
  return hyalite::run_command_line(argc, argv, {std::cout, std::cerr, g_interrupted, machine_file()});
}
