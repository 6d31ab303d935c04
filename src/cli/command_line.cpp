#include <algorithm>
#include <iostream>
#include <map>
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

void add_common(CLI::App& app, CommonFlags& flags) {
  app.add_flag("--json", flags.json, "Print one JSON document and nothing else on standard output")->group("Output");
  app.add_flag("-q,--quiet", flags.quiet, "No progress and no remarks on standard error")->group("Output");
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

int fail(std::ostream& err, const Error& error) {
  err << "hyalite: " << error.what() << '\n';
  return exit_code_of(error.code());
}

}  // namespace

std::span<const Verb* const> all_verbs() {
  return kVerbs;
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
    actions[sub] = verb->setup(*sub);
    add_common(*sub, flags);
  }
  try {
    app.parse(reversed(argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, out, err);
    err << "hyalite: " << error.what() << " (see --help)\n";
    return kUsageError;
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
