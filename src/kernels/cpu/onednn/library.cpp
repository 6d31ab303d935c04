#include "kernels/cpu/onednn/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace hyalite {
namespace {

// What dnnl_version() points to, the same in versions 2 and 3.
struct Version {
  int major, minor, patch;
  const char* commit;
  unsigned cpu_threads;  // a ThreadsOf
};
enum ThreadsOf : unsigned { kOwnThreadOnly = 1, kOpenMp = 2 };

// The newest first. The function below has the same parameters in both.
constexpr const char* kNames[] = {"libdnnl.so.3", "libdnnl.so.2"};

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

OneDnn open_library() {
  OneDnn found;
  void* library = nullptr;
  std::string refusals;
  for (const char* name : kNames) {
    if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) refusals.append(refusals.empty() ? "" : "; ").append(dlerror());
  }
  if (!library) {
    found.missing = fmt::format("needs oneDNN 2 or 3 (Debian's package libdnnl2): {}", refusals);
    return found;
  }
  const Version* (*version)() = nullptr;
  find(library, "dnnl_version", version);
  find(library, "dnnl_sgemm", found.multiply);
  if (!version || !found.multiply) {
    found.missing = "needs oneDNN 2 or 3, and the libdnnl here lacks dnnl_version or dnnl_sgemm";
    return found;
  }
  const Version& its = *version();
  found.version = fmt::format("{}.{}.{}", its.major, its.minor, its.patch);
  if (its.cpu_threads == kOwnThreadOnly) return found;
  find(library, "omp_get_max_threads", found.threads);  // of the OpenMP that it was linked with
  find(library, "omp_set_num_threads", found.set_threads);
  if (its.cpu_threads != kOpenMp || !found.threads || !found.set_threads)
    found.missing = fmt::format("needs a oneDNN built for OpenMP or without threads, which {} here is not", found.version);
  return found;
}

}  // namespace

const OneDnn& onednn() {
  static const OneDnn library = open_library();  // a variant's row holds plain functions, so there is nowhere else to keep it
  return library;
}

}  // namespace hyalite
