#include "base/cpu_binding.h"

#include <hwloc.h>

#include <algorithm>
#include <memory>
#include <type_traits>

namespace hyalite {
namespace {

using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

Topology load_cores_and_threads() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {nullptr, hwloc_topology_destroy};
  Topology topology(raw, hwloc_topology_destroy);
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) return {nullptr, hwloc_topology_destroy};
  return topology;
}

}  // namespace

std::vector<int> cpus_to_fill() {
  const Topology topology = load_cores_and_threads();
  const Bitmap allowed(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  if (!topology || !allowed || hwloc_get_cpubind(topology.get(), allowed.get(), HWLOC_CPUBIND_THREAD) != 0) return {};

  struct Slot {
    int rank;  // how many hardware threads of its core come before it
    int cpu;
  };
  std::vector<Slot> slots;
  std::vector<hwloc_obj_t> cores;
  for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, pu)) != nullptr;) {
    if (!hwloc_bitmap_isset(allowed.get(), pu->os_index)) continue;
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology.get(), HWLOC_OBJ_CORE, pu);
    const auto rank = core == nullptr ? 0 : std::count(cores.begin(), cores.end(), core);
    cores.push_back(core);
    slots.push_back({static_cast<int>(rank), static_cast<int>(pu->os_index)});
  }
  std::stable_sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.rank < b.rank; });
  std::vector<int> cpus;
  for (const Slot& slot : slots) cpus.push_back(slot.cpu);
  return cpus;
}

bool bind_thread(std::thread& thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < 0 || cpu >= CPU_SETSIZE) return false;
  CPU_SET(cpu, &set);
  return pthread_setaffinity_np(thread.native_handle(), sizeof set, &set) == 0;
}

}  // namespace hyalite
