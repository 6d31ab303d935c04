#include "base/cpu_binding.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace hyalite {
namespace {

// A CPU that may be used. Nodes and cores go by the logical order of hwloc, in which neighbours share caches.
struct Slot {
  int rank;  // how many hardware threads of its core come before it
  int node;  // the first NUMA node that it belongs to
  int cpu;
};

std::vector<Slot> slots_of(hwloc_topology_t topology, hwloc_const_bitmap_t allowed) {
  std::vector<Slot> slots;
  std::map<hwloc_obj_t, int> taken;  // hardware threads by core
  for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr;) {
    if (!hwloc_bitmap_isset(allowed, pu->os_index)) continue;
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    slots.push_back({taken[core ? core : pu]++, hwloc_bitmap_first(pu->nodeset), static_cast<int>(pu->os_index)});
  }
  return slots;
}

}  // namespace

std::vector<int> fill_order(hwloc_topology_t topology, hwloc_const_bitmap_t allowed) {
  std::vector<Slot> slots = slots_of(topology, allowed);
  std::map<int, int> cores;  // by node
  for (const Slot& slot : slots) cores[slot.node] += slot.rank == 0;
  const auto place = [&](const Slot& slot) { return std::tuple(slot.rank, -cores[slot.node], slot.node); };
  std::stable_sort(slots.begin(), slots.end(), [&](const Slot& a, const Slot& b) { return place(a) < place(b); });
  std::vector<int> cpus;
  for (const Slot& slot : slots) cpus.push_back(slot.cpu);
  return cpus;
}

std::vector<int> cpus_to_fill() {
  const Topology topology = load_topology({HWLOC_OBJ_CORE});
  if (!topology) return {};
  const CpuSet allowed = affinity_mask(topology.get());
  return allowed ? fill_order(topology.get(), allowed.get()) : std::vector<int>{};
}

bool bind_thread(std::thread& thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < 0 || cpu >= CPU_SETSIZE) return false;
  CPU_SET(cpu, &set);
  return pthread_setaffinity_np(thread.native_handle(), sizeof set, &set) == 0;
}

}  // namespace hyalite
