// Options of the verbs that round a model to packed integers, and the way from them to such a model.
#pragma once

#include <string>

#include "base/json.h"
#include "cli/model_options.h"
#include "cli/option_set.h"
#include "workbench/packed/packed_quantizer.h"

namespace hyalite {

struct PackedChoice {
  std::string type;  // empty: the model stays as it is
  std::string calibrate;
  int64_t group = 128;
  bool group_given = false;
};

// Adds --group-size, and returns it.
Option add_group_option(const OptionSet& set, PackedChoice& choice);

// Throws Error{invalid_argument} for a type that is none, for int4_awq without a calibration text, and for options that the type does not
// use.
PackedOptions packed_options(const PackedChoice& choice);

// Runs the calibration text where int4_awq wants it, and rounds. `options` gives machine and threads. Ctrl-C is heard.
PackedReport quantize_packed(ImportedModel& model, const PackedChoice& choice, const CompileOptions& options, VerbContext& context,
                             ThreadPool& pool);

Json report_to_json(const PackedReport& report);         // {"bytes_before", "bytes_after", "tensors": [{"name", "from", "to", "error"}]}
std::string report_to_line(const PackedReport& report);  // "90 matrices: 94.4 MB to 70.2 MB; largest error 8.1% (blk.0.attn_q)"

}  // namespace hyalite
