#include "cli/generation_options.h"

#include <charconv>

#include "base/error.h"

namespace hyalite {
namespace {

template <class T>
bool parse_number(std::string_view text, T& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::pair<int32_t, double> parse_bias(const std::string& text) {
  size_t sign = text.find('=');
  std::pair<int32_t, double> bias{};
  if (sign == std::string::npos || !parse_number(std::string_view(text).substr(0, sign), bias.first) ||
      !parse_number(std::string_view(text).substr(sign + 1), bias.second))
    throw Error(ErrorCode::invalid_argument, "--logit-bias " + text, "must be TOKEN_ID=BIAS");
  return bias;
}

}  // namespace

void add_generation_options(const OptionSet& set, GenerationOptions& o) {
  OptionSet length = set.group("Length");
  length.add("-n,--max-new-tokens", o.max_new_tokens, "Most tokens of the answer").range(1, int64_t{1} << 32);
  length.add("--stop", o.stop, "End the answer before this text; may be repeated");
  length.add("--ignore-eos", o.ignore_eos, "Never sample an end token");
  OptionSet sampling = set.group("Sampling");
  SamplingOptions& s = o.sampling;
  sampling.add("--temperature", s.temperature, "0: greedy");
  sampling.add("--top-k", s.top_k, "Keep the K most likely tokens; 0: off");
  sampling.add("--top-p", s.top_p, "Keep the likeliest tokens that together reach P; 1: off");
  sampling.add("--min-p", s.min_p, "Drop tokens below P times the likeliest one's probability; 0: off");
  sampling.add("--repeat-penalty", s.repeat_penalty, "Divide the logits of tokens seen before; 1: off");
  sampling.add("--presence-penalty", s.presence_penalty, "Subtracted once from tokens of the answer; 0: off");
  sampling.add("--frequency-penalty", s.frequency_penalty, "Subtracted per occurrence in the answer; 0: off");
  sampling.add("--logit-bias", o.logit_bias, "TOKEN_ID=BIAS, added to a logit; may be repeated");
  sampling.add("--seed", s.seed, "Seed of the draw; the same seed gives the same answer [random]");
}

Request request_of(const GenerationOptions& o) {
  Request request{.max_new_tokens = o.max_new_tokens, .sampling = o.sampling, .stop = o.stop, .ignore_eos = o.ignore_eos};
  for (const std::string& text : o.logit_bias) request.sampling.logit_bias.push_back(parse_bias(text));
  check_sampling(request.sampling);
  return request;
}

}  // namespace hyalite
