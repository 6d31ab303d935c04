#include "cli/option_set.h"

#include <CLI/CLI.hpp>
#include <charconv>

namespace hyalite {
namespace {

// An integer from 0 to 2^64 - 1: the parser would take -1 for 2^64 - 1, and cut what is larger.
std::string why_not_unsigned(const std::string& text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && at == end ? "" : "must be an integer from 0 to 2^64 - 1, not " + text;
}

}  // namespace

Option Option::range(int64_t low, int64_t high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option Option::real_range(double low, double high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option Option::required(bool is_required) {
  option_->required(is_required);
  return *this;
}

Option Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

Option Option::needs(Option other) {
  option_->needs(other.option_);
  return *this;
}

Option Option::note_given(bool& given) {
  option_->each([&given](const std::string&) { given = true; });
  return *this;
}

Option Option::description(const std::string& text) {
  option_->description(text);
  return *this;
}

Option Option::shown_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}

OptionSet OptionSet::group(const std::string& heading) const {
  OptionSet set = *this;
  set.heading_ = heading;
  return set;
}

OptionSet OptionSet::exactly_one(const std::string& heading) const {
  CLI::Option_group* group = app_->add_option_group(heading);
  group->require_option(1);
  return OptionSet(*group);
}

Option OptionSet::add(const std::string& names, std::string& value, const std::string& description) const {
  return listed(app_->add_option(names, value, description));
}

Option OptionSet::add(const std::string& names, std::vector<std::string>& values, const std::string& description) const {
  return listed(app_->add_option(names, values, description));
}

Option OptionSet::add(const std::string& names, int& value, const std::string& description) const {
  return listed(app_->add_option(names, value, description));
}

Option OptionSet::add(const std::string& names, int64_t& value, const std::string& description) const {
  return listed(app_->add_option(names, value, description));
}

Option OptionSet::add(const std::string& names, double& value, const std::string& description) const {
  return listed(app_->add_option(names, value, description));
}

Option OptionSet::add(const std::string& names, bool& flag, const std::string& description) const {
  return listed(app_->add_flag(names, flag, description));
}

Option OptionSet::add(const std::string& names, uint64_t& value, const std::string& description) const {
  return listed(app_->add_option(names, value, description)->check(why_not_unsigned));
}

Option OptionSet::add(const std::string& names, std::optional<uint64_t>& value, const std::string& description) const {
  return listed(app_->add_option_no_stream(names, value, description)->check(why_not_unsigned));
}

Option OptionSet::get(const std::string& name) const {
  return Option(app_->get_option(name));
}

Option OptionSet::listed(CLI::Option* option) const {
  if (!heading_.empty()) option->group(heading_);
  return Option(option);
}

}  // namespace hyalite
