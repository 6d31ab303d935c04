// The options of a verb. Hides the parser of command lines, a header that takes seconds to compile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hyalite {

// An option that was added, to say more of it. A handle into the parser, which owns it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option range(int64_t low, int64_t high);     // both inclusive
  Option real_range(double low, double high);  // both inclusive
  Option one_of(const std::vector<std::string>& words);
  Option required(bool is_required = true);
  Option excludes(Option other);
  Option needs(Option other);      // is refused where the command line lacks the other
  Option note_given(bool& given);  // becomes true where the command line has this option, with any value
  Option description(const std::string& text);
  Option shown_default(const std::string& text);  // in the help, in place of the variable's value

 private:
  CLI::Option* option_;
};

// Where a verb adds its options: a handle into the parser. The variables have to outlive the parsing.
class OptionSet {
 public:
  explicit OptionSet(CLI::App& app) : app_(&app) {}

  // The same options, but what is added here stands under that heading of the help.
  OptionSet group(const std::string& heading) const;
  // A group of its own, of whose options the command line has to have exactly one.
  OptionSet exactly_one(const std::string& heading) const;

  // `names` as in "-n,--max-new-tokens"; one without dashes is found by its place. The variable's value is the default, and is shown.
  Option add(const std::string& names, std::string& value, const std::string& description) const;
  Option add(const std::string& names, std::vector<std::string>& values, const std::string& description) const;  // may be repeated
  Option add(const std::string& names, int& value, const std::string& description) const;
  Option add(const std::string& names, int64_t& value, const std::string& description) const;
  Option add(const std::string& names, double& value, const std::string& description) const;
  Option add(const std::string& names, bool& flag, const std::string& description) const;  // takes no value
  Option add(const std::string& names, uint64_t& value, const std::string& description) const;
  Option add(const std::string& names, std::optional<uint64_t>& value, const std::string& description) const;

  // REQUIRES: an option that was added.
  Option get(const std::string& name) const;

 private:
  Option listed(CLI::Option* option) const;

  CLI::App* app_;
  std::string heading_;  // empty: the parser's own
};

}  // namespace hyalite
