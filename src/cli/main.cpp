#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

#include "base/mapped_file.h"
#include "cli/verb.h"

namespace {

std::atomic<bool> g_interrupted{false}, g_terminated{false};  // a signal handler reaches nothing but globals

// The first signal asks; the second ends the process at once.
extern "C" void on_interrupt(int signal) {
  if (g_interrupted.exchange(true)) std::_Exit(128 + signal);
}

// What the user does not wait for any longer ends whole: no further input is read either.
extern "C" void on_terminate(int signal) {
  g_terminated = true;
  on_interrupt(signal);
  if (const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC); nothing >= 0) dup2(nothing, STDIN_FILENO);
}

// Without SA_RESTART: a read of standard input ends too. What is ignored already (nohup) stays so.
void handle(int signal, void (*handler)(int), bool even_if_ignored) {
  struct sigaction action {};
  if (!even_if_ignored && sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

// Where the XDG base directory specification puts what can be made anew.
std::string machine_file() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/') return std::string(cache) + "/hyalite/machine.json";
  if (const char* home = std::getenv("HOME"); home && *home) return std::string(home) + "/.cache/hyalite/machine.json";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  handle(SIGINT, on_interrupt, true);
  handle(SIGTERM, on_terminate, true);
  handle(SIGHUP, on_terminate, false);
  std::ios::sync_with_stdio(false);
  hyalite::install_map_fault_handler();
  return hyalite::run_command_line(argc, argv, {std::cout, std::cerr, g_interrupted, g_terminated, machine_file()});
}
