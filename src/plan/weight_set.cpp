#include "plan/weight_set.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/error.h"

namespace hyalite {
namespace {

constexpr size_t kAlignment = 64;
constexpr int64_t kSliceBytes = int64_t{8} << 20;  // of the source, on all threads together

size_t aligned(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

WeightKey key_of(const WeightForm& form) {
  return {form.weight->name, form.weight->type.dtype, form.layout};
}

// A small weight, such as a norm's, is copied: reading it in the file would keep a large page around it resident.
bool stays_in_source(const PlanWeight& weight, const std::string& layout) {
  return layout.empty() && weight.converted_from.empty() && weight.values.empty() && weight_bytes(weight.type, layout) >= kHugePage;
}

// The weight's values in its plan format: the file's bytes, or what `scratch` is made to hold.
TensorView values_of(const PlanWeight& weight, const WeightStore& store, std::vector<uint8_t>& scratch, ThreadPool& pool) {
  if (weight.values.empty() && weight.converted_from.empty()) return store.view(weight.name);
  scratch.resize(bytes_of(weight.type, {}));
  TensorView made = view_of(weight.type, scratch.data());
  if (!weight.values.empty()) {
    std::transform(weight.values.begin(), weight.values.end(), made.as<float>(), [](double v) { return static_cast<float>(v); });
  } else {
    TensorView source = store.view(weight.name);
    const OpArgs args{.inputs = &source, .outputs = &made};
    const int parts = static_cast<int>(made.bytes() / kSliceBytes) + 1;  // the pool may be told to stop between them
    for (int part = 0; part < parts; ++part)
      pool.run([&](int thread) { find_op("convert")->evaluate(args, WorkRange{part * pool.size() + thread, parts * pool.size(), 0}); });
  }
  return made;
}

// The rows that a thread of many packs, those that it multiplies by later: memory lies near the thread that writes it first.
struct RowShare {
  int64_t next, end;
};

// Packs rows in slices, giving each slice's file pages back before the next is read: a large table never lies in memory twice.
void pack_rows(const PlanWeight& weight, const PackedLayout& layout, const TensorView& values, uint8_t* to, const WeightStore& store,
               ThreadPool& pool) {
  constexpr int64_t kRowGroup = 16;  // layouts keep rows in groups of 16
  const int64_t rows = values.dims[0], columns = values.columns();
  const auto bytes_per_row = static_cast<int64_t>(row_bytes(values.dtype, columns));
  const int64_t slice_bytes = std::max(kSliceBytes / pool.size(), static_cast<int64_t>(kHugePage));
  const int64_t step = std::max<int64_t>(1, slice_bytes / (bytes_per_row * kRowGroup)) * kRowGroup;
  const bool from_file = weight.values.empty() && weight.converted_from.empty();
  std::vector<RowShare> shares;
  for (int thread = 0; thread < pool.size(); ++thread) {
    const WorkRange range{thread, pool.size(), 0};
    shares.push_back({range.begin(rows, kRowGroup), range.end(rows, kRowGroup)});
  }
  const auto slice_of = [&](const RowShare& share) { return std::min(step, share.end - share.next); };
  while (std::ranges::any_of(shares, [&](const RowShare& share) { return slice_of(share) > 0; })) {
    pool.run([&](int thread) {
      const RowShare& share = shares[thread];
      if (slice_of(share) == 0) return;
      TensorView slice = values;
      slice.dims[0] = slice_of(share);
      slice.data = const_cast<uint8_t*>(values.row(share.next));
      layout.pack(slice, share.next, rows, to, WorkRange{0, 1, 0});
    });
    for (RowShare& share : shares) {
      const int64_t packed = slice_of(share);
      if (from_file && packed > 0) store.release(weight.name, share.next * bytes_per_row, static_cast<size_t>(packed * bytes_per_row));
      share.next += packed;
    }
  }
}

void fill(const WeightForm& form, uint8_t* to, const WeightStore& store, ThreadPool& pool) {
  std::vector<uint8_t> scratch;
  const PlanWeight& weight = *form.weight;
  TensorView values = values_of(weight, store, scratch, pool);
  if (const PackedLayout* layout = packed_layout_of(values.dtype, form.layout))
    pack_rows(weight, *layout, values, to, store, pool);
  else
    std::memcpy(to, values.data, values.bytes());
  if (weight.values.empty()) store.release(weight.name, 0, store.view(weight.name).bytes());
}

}  // namespace

size_t weight_bytes(const TensorType& type, std::string_view kind) {
  const auto as_is = static_cast<size_t>(bytes_of(type, {}));  // refuses sizes that overflow, of any layout
  if (kind.empty()) return as_is;
  const PackedLayout* layout = packed_layout_of(type.dtype, kind);
  HYALITE_CHECK(layout && type.rank() == 2, to_string(type) + " has no layout " + std::string(kind));
  return layout->packed_bytes(type.dims[0].value(), type.dims[1].value());
}

std::vector<std::string> layouts_of(const PlanWeight& weight) {
  std::vector<std::string> layouts;
  if (weight.as_is) layouts.emplace_back();
  if (!weight.packed.empty()) layouts.push_back(weight.packed);
  return layouts;
}

std::vector<WeightForm> weight_forms(std::span<const ExecutionPlan* const> plans) {
  std::vector<WeightForm> forms;
  std::set<WeightKey> seen;
  for (const ExecutionPlan* plan : plans)
    for (const PlanWeight& weight : plan->weights)
      for (const std::string& layout : layouts_of(weight)) {
        const WeightForm form{&weight, layout, stays_in_source(weight, layout)};
        if (seen.insert(key_of(form)).second) forms.push_back(form);
      }
  return forms;
}

std::shared_ptr<WeightSet> WeightSet::pack(std::span<const ExecutionPlan* const> plans, const std::shared_ptr<const WeightStore>& store,
                                           ThreadPool& pool) {
  auto set = std::make_shared<WeightSet>();
  set->store_ = store;
  const std::vector<WeightForm> forms = weight_forms(plans);
  size_t total = 0;
  for (const WeightForm& form : forms)
    if (!form.in_source) total += aligned(weight_bytes(form.weight->type, form.layout));
  set->memory_ = std::make_unique<PageMemory>(total);
  uint8_t* to = set->memory_->data();
  for (const WeightForm& form : forms) {
    const size_t bytes = weight_bytes(form.weight->type, form.layout);
    const uint8_t* data = form.in_source ? store->at(form.weight->name).data : to;
    set->entries_[key_of(form)] = {form.weight->type, data, bytes};
    if (form.in_source) continue;
    fill(form, to, *store, pool);
    to += aligned(bytes);
  }
  return set;
}

std::shared_ptr<WeightSet> WeightSet::mapped(std::map<WeightKey, Entry> entries, std::shared_ptr<MappedFile> file) {
  auto set = std::make_shared<WeightSet>();
  set->entries_ = std::move(entries);
  set->file_ = std::move(file);
  return set;
}

TensorView WeightSet::view(const PlanWeight& weight, const std::string& layout) const {
  auto it = entries_.find(WeightKey{weight.name, weight.type.dtype, layout});
  HYALITE_CHECK(it != entries_.end(), "weight " + weight.name + " is not in the set");
  return view_of(it->second.type, const_cast<uint8_t*>(it->second.data));
}

}  // namespace hyalite
