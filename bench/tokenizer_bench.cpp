// Encoding: bytes a second of the tokenizer of the model file $HYALITE_MODEL over the text file $HYALITE_TEXT. encode.py sets both, and
// puts the `tokenizers` package beside it.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "cli/prompt.h"
#include "cli/tokenizer_source.h"
#include "text/tokenizer.h"

namespace hyalite {
namespace {

void tokenizer_encode(benchmark::State& state) {
  const char *model = std::getenv("HYALITE_MODEL"), *file = std::getenv("HYALITE_TEXT");
  if (model == nullptr || file == nullptr) return state.SkipWithError("HYALITE_MODEL and HYALITE_TEXT name no files");
  const Tokenizer tokenizer(load_tokenizer_spec(model));
  const std::string text = read_text_file(file, false);
  const size_t tokens = tokenizer.encode(text, {.add_special = false}).size();
  for (auto _ : state) benchmark::DoNotOptimize(tokenizer.encode(text, {.add_special = false}));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
  state.counters["tokens"] = static_cast<double>(tokens);
}
BENCHMARK(tokenizer_encode)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hyalite
