#include "workbench/comparison.h"

#include <algorithm>

#include "base/error.h"
#include "base/quantile.h"
#include "workbench/perplexity.h"

namespace hyalite {
namespace {

// Against a base file: `row_of` gives the base's row of a scored token.
template <class RowOf>
std::vector<Divergence> compare_rows(RowOf row_of, Engine& model, std::span<const int32_t> ids, const WindowCut& cut,
                                     const WindowProgress& progress) {
  std::vector<Divergence> tokens(cut.scored());
  Engine* const engines[] = {&model};
  auto sink = [&](const ScoredRows& rows) {
    for_each_row(model.threads(), rows.count(), [&](int64_t row) {
      const Distribution distribution(rows.logits(0, row, model.valid_ids()));
      tokens[rows.first + row] = divergence(row_of(rows.first + row), distribution, rows.next[row]);
    });
  };
  score_windows(engines, ids, cut, sink, progress);
  return tokens;
}

template <class Value>
std::vector<double> each(std::span<const Divergence> tokens, Value value) {
  std::vector<double> values;
  values.reserve(tokens.size());
  for (const Divergence& one : tokens) values.push_back(value(one));
  return values;
}

}  // namespace

void check_same_vocabulary(const Engine& base, const Engine& model) {
  auto refuse = [](const std::string& why) {
    throw Error(ErrorCode::invalid_argument, "the two models", "have different vocabularies: " + why);
  };
  if (base.valid_ids() != model.valid_ids())
    refuse("the base has " + std::to_string(base.valid_ids()) + " ids, the other " + std::to_string(model.valid_ids()));
  if (const auto found = first_difference(base.model().tokenizer, model.model().tokenizer))
    refuse("id " + std::to_string(found->id) + " is '" + std::string(found->one) + "' in the base and '" + std::string(found->other) +
           "' in the other");
}

std::vector<Divergence> compare(Engine& base, Engine& model, std::span<const int32_t> ids, const WindowCut& cut,
                                const WindowProgress& progress) {
  std::vector<Divergence> tokens(cut.scored());
  Engine* const engines[] = {&base, &model};
  const int64_t vocab = model.valid_ids();
  auto sink = [&](const ScoredRows& rows) {
    for_each_row(model.threads(), rows.count(), [&](int64_t row) {
      const Distribution of_base(rows.logits(0, row, vocab)), of_model(rows.logits(1, row, vocab));
      tokens[rows.first + row] = divergence(of_base, of_model, rows.next[row]);
    });
  };
  score_windows(engines, ids, cut, sink, progress);
  return tokens;
}

std::vector<Divergence> compare(const CompactBase& base, Engine& model, const WindowProgress& progress) {
  return compare_rows([&](int64_t scored) { return base.row(scored); }, model, base.ids(), base.head().cut, progress);
}

std::vector<Divergence> compare(const LogitBase& base, Engine& model, const WindowProgress& progress) {
  const LogitBaseShape& shape = base.shape();
  return compare_rows([&](int64_t scored) { return base.row(scored); }, model, base.ids(), {shape.context, shape.windows}, progress);
}

std::string compact_base_of(Engine& engine, std::span<const int32_t> ids, const WindowCut& cut, int64_t kept,
                            const WindowProgress& progress) {
  const int64_t vocab = engine.valid_ids();
  const CompactBaseHead head{.model = engine.model().info.name,
                             .vocabulary = vocabulary_digest(engine.tokenizer(), vocab),
                             .vocab = vocab,
                             .cut = cut,
                             .kept = std::min({kept, vocab, kMostKept})};
  ids = ids.first(cut.windows * cut.context);
  CompactBaseWriter writer(head, ids);
  Engine* const engines[] = {&engine};
  auto sink = [&](const ScoredRows& rows) {
    for_each_row(engine.threads(), rows.count(),
                 [&](int64_t row) { writer.set(rows.first + row, Distribution(rows.logits(0, row, vocab)), rows.next[row]); });
  };
  score_windows(engines, ids, cut, sink, progress);
  return std::move(writer).finish();
}

void write_logit_base(const std::filesystem::path& path, Engine& engine, std::span<const int32_t> ids, const WindowCut& cut,
                      const WindowProgress& progress) {
  const int64_t vocab = engine.valid_ids();
  ids = ids.first(cut.windows * cut.context);
  LogitBaseWriter writer(path, {static_cast<int32_t>(cut.context), static_cast<int32_t>(vocab), static_cast<int32_t>(cut.windows)}, ids);
  Engine* const engines[] = {&engine};
  auto sink = [&](const ScoredRows& rows) {
    for (int64_t row = 0; row < rows.count(); ++row) writer.add(rows.logits(0, row, vocab));
  };
  score_windows(engines, ids, cut, sink, progress);
  writer.finish();
}

ComparisonSummary summarize(std::span<const Divergence> tokens, const WindowCut& cut) {
  std::vector<double> kl = each(tokens, [](const Divergence& d) { return d.kl; });
  const int64_t run = cut.per_window();
  ComparisonSummary s{
      .tokens = static_cast<int64_t>(tokens.size()),
      .kl = estimate_mean(kl, run),
      .top1_agreement = estimate_mean(each(tokens, [](const Divergence& d) { return d.base.top == d.model.top ? 1.0 : 0.0; }), run),
      .base_perplexity = estimate_exp(each(tokens, [](const Divergence& d) { return -d.base.next_log_prob; }), cut),
      .perplexity = estimate_exp(each(tokens, [](const Divergence& d) { return -d.model.next_log_prob; }), cut),
      .perplexity_ratio =
          estimate_exp(each(tokens, [](const Divergence& d) { return d.base.next_log_prob - d.model.next_log_prob; }), cut)};
  std::sort(kl.begin(), kl.end());
  s.kl_median = quantile(kl, 0.5);
  s.kl_p99 = quantile(kl, 0.99);
  s.kl_max = kl.back();
  return s;
}

}  // namespace hyalite
