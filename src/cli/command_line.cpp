#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <span>

#include "base/error.h"
#include "cli/verb.h"

namespace hyalite {

#define VERB(name) extern const Verb verb_##name;
#include "cli/verbs.inc"
#undef VERB

namespace {

constexpr int kUsageError = 2;
constexpr size_t kHelpWidth = 100;

const Verb* const kVerbs[] = {
#define VERB(name) &verb_##name,
#include "cli/verbs.inc"
#undef VERB
};

// Help that fits 100 columns: CLI11 2.1 leaves long descriptions in one line, this breaks them under their own column.
class Formatter : public CLI::Formatter {
 public:
  Formatter() { column_width(34); }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return wrap(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
  }

  std::string make_subcommand(const CLI::App* sub) const override { return wrap(sub->get_name(), sub->get_description()); }

 private:
  std::string wrap(const std::string& name, const std::string& text) const {
    const size_t column = get_column_width();
    std::string out = "  " + name;
    if (out.size() + 1 > column)
      out += '\n' + std::string(column, ' ');
    else
      out.resize(column, ' ');
    size_t at = column;
    std::istringstream words(text);
    for (std::string word; words >> word; at += word.size() + 1) {
      if (at > column && at + word.size() > kHelpWidth) {
        out.back() = '\n';
        out.append(column, ' ');
        at = column;
      }
      out += word + ' ';
    }
    return out.erase(out.find_last_not_of(' ') + 1) + '\n';
  }
};

struct CommonFlags {
  bool json = false, quiet = false;
};

void add_common(const OptionSet& set, CommonFlags& flags) {
  OptionSet output = set.group("Output");
  output.add("--json", flags.json, "Print one JSON document and nothing else on standard output");
  output.add("-q,--quiet", flags.quiet, "No progress and no remarks on standard error");
}

// The arguments, last first, as the parser takes them. It would read on into the next argument where nothing follows "--flag=".
std::vector<std::string> reversed(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    std::string argument = argv[i];
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      arguments.emplace_back();
      argument.pop_back();
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1, diagonal = std::exchange(row[0], i); j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  return row.back();
}

// Why the first argument is no verb; empty where it is one, or an option, or absent.
std::string why_no_verb(int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  const std::string_view word = argv[1];
  const Verb* nearest = *std::ranges::min_element(kVerbs, {}, [&](const Verb* verb) { return edit_distance(word, verb->name); });
  const size_t distance = edit_distance(word, nearest->name);
  if (distance == 0) return {};
  const bool is_near = distance <= 2 && distance < word.size();
  return "there is no verb " + std::string(word) + (is_near ? "; " + std::string(nearest->name) + " is one" : "");
}

int refuse_usage(std::ostream& err, const std::string& why) {
  err << "hyalite: " << Error(ErrorCode::invalid_argument, "", why).what() << " (see --help)\n";
  return kUsageError;
}

int fail(std::ostream& err, const Error& error) {
  print_error(error, err);
  return exit_code_of(error.code());
}

}  // namespace

std::span<const Verb* const> all_verbs() {
  return kVerbs;
}

void print_error(const Error& error, std::ostream& err) {
  const bool by_name = error.code() == ErrorCode::non_finite_logits;
  err << "hyalite: " << (by_name ? std::string(name_of(error.code())) + ": " : "") << error.what() << '\n';
}

int run_command_line(int argc, const char* const* argv, const Surroundings& surroundings) {
  auto& [out, err, interrupted, terminated, machine_file] = surroundings;
  CLI::App app("Hyalite: an inspectable compiler, runtime and workbench for decoder-only LLMs", "hyalite");
  app.set_version_flag("--version", "hyalite " HYALITE_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<Formatter>());
  CommonFlags flags;
  std::map<const CLI::App*, VerbAction> actions;
  for (const Verb* verb : kVerbs) {
    CLI::App* sub = app.add_subcommand(verb->name, verb->summary)->group(verb->group);
    sub->option_defaults()->always_capture_default();
    OptionSet options(*sub);
    actions[sub] = verb->setup(options);
    add_common(options, flags);
  }
  if (const std::string why = why_no_verb(argc, argv); !why.empty()) return refuse_usage(err, why);
  try {
    app.parse(reversed(argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return refuse_usage(err, error.what());
    app.exit(error, out, err);  // --help, --version
    return out.flush() ? 0 : fail(err, Error(ErrorCode::io, "standard output", "cannot write"));
  }
  try {
    VerbContext context{out, err, flags.json, flags.quiet, interrupted, terminated, machine_file};
    int code = actions.at(app.get_subcommands().front())(context);
    out.flush();
    if (!out) throw Error(ErrorCode::io, "standard output", "cannot write");
    return code;
  } catch (const Error& error) {
    return fail(err, error);
  } catch (const std::bad_alloc&) {
    return fail(err, Error(ErrorCode::io, "memory", "not enough memory"));
  } catch (const std::exception& error) {
    return fail(err, Error(ErrorCode::internal, "", error.what()));
  }
}

}  // namespace hyalite
