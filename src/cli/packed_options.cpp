#include "cli/packed_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "base/error.h"
#include "base/progress.h"
#include "base/text_util.h"
#include "cli/prompt.h"
#include "text/tokenizer.h"

namespace hyalite {
namespace {

constexpr int64_t kWindow = 512;  // tokens of a calibration window

ActivationStatistics calibrate(const ImportedModel& model, const std::string& file, const CompileOptions& options,
                               const VerbContext& context) {
  const Tokenizer tokenizer(model.tokenizer);
  const std::vector<int32_t> ids = tokenizer.encode(read_text_file(file, context.interrupted), {.add_special = true});
  const int64_t window = std::min(kWindow, model.config.context_length);
  const SteadyClock clock;
  Progress progress("calibration windows", static_cast<int64_t>(ids.size()) / window, std::cerr, clock,
                    {.shown = !context.quiet && isatty(STDERR_FILENO)});
  return measure_activations(model, ids, window, options, [&] { progress.advance(1); });
}

}  // namespace

Option add_group_option(const OptionSet& set, PackedChoice& o) {
  return set.add("--group-size", o.group, "Columns that share a scale in int4 and int4_awq: 32, 64 or 128").note_given(o.group_given);
}

PackedOptions packed_options(const PackedChoice& choice) {
  const auto type = packed_type_named(choice.type);
  if (!type) throw Error(ErrorCode::invalid_argument, "type " + choice.type, "must be int8, int4 or int4_awq");
  if (type == PackedType::int4_awq && choice.calibrate.empty())
    throw Error(ErrorCode::invalid_argument, "int4_awq", "needs a text with --calibrate: scales follow from the activations it causes");
  if (type == PackedType::int8 && choice.group_given)
    throw Error(ErrorCode::invalid_argument, "--group-size", "has no use for int8: its rows have a scale each");
  if (type != PackedType::int4_awq && !choice.calibrate.empty())
    throw Error(ErrorCode::invalid_argument, "--calibrate", "has no use for " + choice.type + ": only int4_awq reads a text");
  return {.type = *type, .group = choice.group};
}

PackedReport quantize_packed(ImportedModel& model, const PackedChoice& choice, const CompileOptions& options, VerbContext& context,
                             ThreadPool& pool) {
  const ThreadPool::CancelScope scope(pool, &context.interrupted);
  PackedOptions packed = packed_options(choice);
  ActivationStatistics activations;
  if (packed.type == PackedType::int4_awq) {
    activations = calibrate(model, choice.calibrate, options, context);
    packed.activations = &activations;
  }
  return quantize_packed(model, packed, pool);
}

Json report_to_json(const PackedReport& report) {
  Json tensors = Json::array();
  for (const PackedTensor& one : report.tensors)
    tensors.push_back({{"name", one.name}, {"from", format_of(one.from).name}, {"to", format_of(one.to).name}, {"error", one.error}});
  return {{"bytes_before", report.bytes_before}, {"bytes_after", report.bytes_after}, {"tensors", tensors}};
}

std::string report_to_line(const PackedReport& report) {
  const auto worst = std::ranges::max_element(report.tensors, {}, &PackedTensor::error);
  std::string line = fmt::format("{} matrices rounded: {} to {}", report.tensors.size(), human_bytes(report.bytes_before),
                                 human_bytes(report.bytes_after));
  if (worst != report.tensors.end()) line += fmt::format("; largest error {:.2f}% ({})", 100 * worst->error, worst->name);
  return line;
}

}  // namespace hyalite
