#include "device/thread_remark.h"

namespace hyalite {

std::string remark_on_threads(int threads, const Machine& machine) {
  const auto number = [](int count, const char* name) { return std::to_string(count) + " " + name + (count == 1 ? "" : "s"); };
  if (threads > machine.cpus)
    return number(threads, "thread") + " take turns on the " + number(machine.cpus, "CPU") + " that this process may use: slower than " +
           number(machine.cores, "thread");
  if (threads > machine.cores)
    return number(threads, "thread") + " share the " + number(machine.cores, "core") + " that this process may use: seldom faster than " +
           number(machine.cores, "thread");
  return "";
}

}  // namespace hyalite
