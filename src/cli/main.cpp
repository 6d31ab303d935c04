#include <csignal>
#include <iostream>

#include "base/mapped_file.h"
#include "cli/verb.h"

namespace {

std::atomic<bool> g_interrupted{false};  // a signal handler reaches nothing but globals

// The first Ctrl-C asks; the second ends the process at once.
extern "C" void on_interrupt(int) {
  if (g_interrupted.exchange(true)) std::_Exit(130);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, on_interrupt);
  std::ios::sync_with_stdio(false);
  hyalite::install_map_fault_handler();
  return hyalite::run_command_line(argc, argv, std::cout, std::cerr, g_interrupted);
}
