// The main of a fuzz target that is built without libFuzzer: replays the inputs it is given, then mutates them for a while. It sees no
// coverage; it is there so that every build, with any compiler and sanitizer, runs the targets. The same seed gives the same inputs.
//
//   fuzz_gguf [--seconds N] [--seed S] FILE|FOLDER...
//
// An input that crashes, throws, takes 10 s or lets the process grow past 2 GiB ends it, and is left in the working folder as crash-TARGET.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

constexpr size_t largest_input = 1 << 16;
constexpr unsigned slowest_seconds = 10;
constexpr long largest_rss_kib = 2L << 20;

struct Options {
  double seconds = 0;
  uint64_t seed = 1;
  std::vector<std::string> paths;
};

// What a signal handler can reach: the input that is running, and where to leave it.
struct Running {
  const uint8_t* data = nullptr;
  size_t size = 0;
  char file[128] = "crash";
};
Running running;

void leave_input() {
  if (running.data == nullptr) return;
  if (FILE* file = std::fopen(running.file, "wb")) {
    std::fwrite(running.data, 1, running.size, file);
    std::fclose(file);
    std::fprintf(stderr, "the input (%zu bytes) is in %s\n", running.size, running.file);
  }
  running.data = nullptr;
}

void on_signal(int signal) {
  if (signal == SIGALRM) {
    std::fprintf(stderr, "the input takes longer than %u s\n", slowest_seconds);
  } else {
    std::fprintf(stderr, "signal %d\n", signal);
  }
  leave_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void watch(const char* program) {
  const std::string file = "crash-" + fs::path(program).filename().string();
  std::snprintf(running.file, sizeof running.file, "%s", file.c_str());
  for (const int signal : {SIGABRT, SIGALRM}) std::signal(signal, on_signal);
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(leave_input);  // sanitizers have handlers of their own for the rest
  } else {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, on_signal);
  }
}

void run_one(const Bytes& input) {
  running.data = input.data();
  running.size = input.size();
  alarm(slowest_seconds);
  LLVMFuzzerTestOneInput(input.data(), input.size());
  alarm(0);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  if (usage.ru_maxrss > largest_rss_kib) {
    std::fprintf(stderr, "the process grew to %ld MiB\n", usage.ru_maxrss >> 10);
    leave_input();
    std::exit(1);
  }
  running.data = nullptr;
}

std::vector<Bytes> read_corpus(const std::vector<std::string>& paths) {
  std::set<fs::path> files;  // sorted: the order decides what a seed gives
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.insert(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (entry.is_regular_file()) files.insert(entry.path());
  }
  std::vector<Bytes> corpus;
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path.string() + ": cannot be read");
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

// Words of the corpus: names of fields, keywords, tags.
std::vector<Bytes> words_of(const std::vector<Bytes>& corpus) {
  const auto in_word = [](uint8_t c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; };
  std::set<Bytes> words;
  for (const Bytes& input : corpus) {
    for (auto from = input.begin(); from != input.end();) {
      from = std::find_if(from, input.end(), in_word);
      const auto to = std::find_if_not(from, input.end(), in_word);
      if (to - from >= 2 && to - from <= 40) words.insert(Bytes(from, to));
      from = to;
    }
  }
  for (const char* mark : {"{{", "}}", "{%", "%}", "[[[[", "\"", "\\u", "\n", "\0\0\0\0", "->", "%", "@", "1e999", "-1"})
    words.insert(Bytes(mark, mark + std::max<size_t>(1, std::strlen(mark))));
  return {words.begin(), words.end()};
}

class Mutator {
 public:
  Mutator(std::vector<Bytes> corpus, uint64_t seed) : corpus_(std::move(corpus)), words_(words_of(corpus_)), random_(seed) {
    if (corpus_.empty()) corpus_.emplace_back();
  }

  // A seed after one to eight changes.
  Bytes next() {
    Bytes input = corpus_[below(corpus_.size())];
    for (size_t changes = 1 + below(8); changes > 0; --changes) change(input);
    input.resize(std::min(input.size(), largest_input));
    return input;
  }

 private:
  size_t below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  size_t place(const Bytes& input) { return below(input.size() + 1); }

  void change(Bytes& input) {
    switch (below(9)) {
      case 0: return flip_bit(input);
      case 1: return set_byte(input);
      case 2: return set_number(input);
      case 3: return insert(input, words_[below(words_.size())]);
      case 4: return insert(input, piece_of(corpus_[below(corpus_.size())]));
      case 5: return insert(input, piece_of(Bytes(input)));
      case 6: return erase(input);
      case 7: return overwrite(input, piece_of(corpus_[below(corpus_.size())]));
      default: return input.resize(below(4) == 0 ? place(input) : input.size());
    }
  }

  void flip_bit(Bytes& input) {
    if (!input.empty()) input[below(input.size())] ^= static_cast<uint8_t>(1U << below(8));
  }

  void set_byte(Bytes& input) {
    static constexpr uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '\n', '"', '{', '}', '[', ']', '-', '9'};
    if (!input.empty()) input[below(input.size())] = below(2) == 0 ? values[below(std::size(values))] : static_cast<uint8_t>(random_());
  }

  // Little-endian numbers at which sizes and offsets overflow.
  void set_number(Bytes& input) {
    const size_t width = size_t{1} << below(4);
    if (input.size() < width) return;
    const uint64_t powers = uint64_t{1} << below(8 * width);
    const uint64_t value = below(3) == 0 ? random_() >> below(64) : powers + below(3) - 1;
    for (size_t at = below(input.size() - width + 1), i = 0; i < width; ++i) input[at + i] = static_cast<uint8_t>(value >> (8 * i));
  }

  Bytes piece_of(const Bytes& from) {
    const size_t begin = place(from), size = below(std::min<size_t>(from.size() - begin, 256) + 1);
    return {from.begin() + static_cast<long>(begin), from.begin() + static_cast<long>(begin + size)};
  }

  void insert(Bytes& input, const Bytes& piece) {
    input.insert(input.begin() + static_cast<long>(place(input)), piece.begin(), piece.end());
  }

  void overwrite(Bytes& input, const Bytes& piece) {
    const size_t at = place(input), size = std::min(piece.size(), input.size() - at);
    std::copy_n(piece.begin(), size, input.begin() + static_cast<long>(at));
  }

  void erase(Bytes& input) {
    const size_t at = place(input), size = below(std::min<size_t>(input.size() - at, 64) + 1);
    input.erase(input.begin() + static_cast<long>(at), input.begin() + static_cast<long>(at + size));
  }

  std::vector<Bytes> corpus_, words_;
  std::mt19937_64 random_;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--seconds" && i + 1 < argc) {
      options.seconds = std::stod(argv[++i]);
    } else if (word == "--seed" && i + 1 < argc) {
      options.seed = std::stoull(argv[++i]);
    } else if (word.starts_with("-")) {
      throw std::runtime_error(word + ": unknown, or without its value; usage: [--seconds N] [--seed S] FILE|FOLDER...");
    } else {
      options.paths.push_back(word);
    }
  }
  return options;
}

void fuzz(const Options& options) {
  const std::vector<Bytes> corpus = read_corpus(options.paths);
  for (const Bytes& input : corpus) run_one(input);

  using Steady = std::chrono::steady_clock;
  const auto start = Steady::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Steady::now() - start).count(); };
  Mutator mutator(corpus, options.seed);
  size_t runs = 0;
  for (; seconds() < options.seconds; ++runs) run_one(mutator.next());
  std::printf("%zu inputs replayed", corpus.size());
  if (runs > 0) std::printf(", %zu mutated, %.0f runs/s", runs, static_cast<double>(runs) / seconds());
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  watch(argv[0]);
  try {
    fuzz(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    leave_input();  // where the target threw it
    return 1;
  }
}
