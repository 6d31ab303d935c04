// The weights of a plan, resolved to memory: packed once from a WeightStore, or mapped from an artifact. One set serves the prefill and the
// decode plan. Immutable after construction; any thread may read. Owns, or keeps mapped, everything it points to.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/page_memory.h"
#include "base/thread_pool.h"
#include "plan/execution_plan.h"
#include "tensor/weight_store.h"

namespace hyalite {

// A weight is asked for by name, format and layout: a tied table may be there as in the file and packed.
struct WeightKey {
  std::string name;
  DType dtype;
  std::string layout;  // kind of the packed layout; empty: as in the file
  auto operator<=>(const WeightKey&) const = default;
};

class WeightSet {
 public:
  struct Entry {
    TensorType type;
    const uint8_t* data = nullptr;
    size_t bytes = 0;
  };

  // Packs what the plans use, tensor by tensor, giving the source file's pages back as it goes, so that the peak stays near one copy.
  // Large weights that are read as in the file stay in the mapped source unless they were converted. Keeps `store` alive.
  static std::shared_ptr<WeightSet> pack(std::span<const ExecutionPlan* const> plans, const std::shared_ptr<const WeightStore>& store,
                                         ThreadPool& pool);

  // A set over bytes that lie in a mapped file (the artifact's weights).
  static std::shared_ptr<WeightSet> mapped(std::map<WeightKey, Entry> entries, std::shared_ptr<MappedFile> file);

  TensorView view(const PlanWeight& weight, const std::string& layout) const;  // HYALITE_CHECK: it is there
  const std::map<WeightKey, Entry>& entries() const { return entries_; }

 private:
  std::map<WeightKey, Entry> entries_;
  std::shared_ptr<const WeightStore> store_;
  std::shared_ptr<MappedFile> file_;
  std::unique_ptr<PageMemory> memory_;
};

// Bytes of a weight in one layout, without making it: what `plan` predicts with.
size_t weight_bytes(const TensorType& type, std::string_view layout);

// The layouts that some step reads the weight in; an empty one: as in the file.
std::vector<std::string> layouts_of(const PlanWeight& weight);

// The forms of weights that some plan reads, each once, and whether it stays in the mapped source file.
struct WeightForm {
  const PlanWeight* weight;
  std::string layout;
  bool in_source;
};
std::vector<WeightForm> weight_forms(std::span<const ExecutionPlan* const> plans);

}  // namespace hyalite
