#include "base/json.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/utf8.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;
template class nlohmann::detail::serializer<nlohmann::ordered_json>;

namespace hyalite {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // some editors begin files with it; the library passes over it

// Builds the document and refuses what breaks the rules; returning false stops the parser. The library's own builder would look through all
// keys of an object for every new one, which takes minutes for a vocabulary.
class StrictBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit StrictBuilder(size_t max_depth) : max_depth_(max_depth) {}

  const std::string& message() const { return message_; }
  Json take() { return std::move(root_); }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return open(Json::object()); }
  bool start_array(size_t) override { return open(Json::array()); }

  bool key(string_t& name) override {
    key_ = std::move(name);
    return true;
  }

  bool end_object() override {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : open_.back()->get_ref<const Json::object_t&>()) names.push_back(name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) return refuse("duplicate key \"" + std::string(*twice) + "\"");
    open_.pop_back();
    return true;
  }

  bool end_array() override {
    open_.pop_back();
    return true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    return refuse(plain(error.what()) + " at byte " + std::to_string(position));
  }

 private:
  bool refuse(std::string message) {
    message_ = std::move(message);
    return false;
  }

  bool put(Json value) { return place(std::move(value)) != nullptr; }

  bool open(Json value) {
    if (open_.size() == max_depth_) return refuse("nesting is deeper than " + std::to_string(max_depth_));
    open_.push_back(place(std::move(value)));
    return true;
  }

  // Where the value now lies. Containers only grow at their end, and only the innermost one grows, so that pointers to open ones stay.
  Json* place(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    Json& parent = *open_.back();
    if (parent.is_array()) return &parent.get_ref<Json::array_t&>().emplace_back(std::move(value));
    std::vector<Json::object_t::value_type>& members = parent.get_ref<Json::object_t&>();
    return &members.emplace_back(std::move(key_), std::move(value)).second;
  }

  // The part of the library's message that says what is wrong, without its own numbering.
  static std::string plain(const std::string& text) {
    const size_t begin = text.find("syntax error");
    if (begin == std::string::npos) return "invalid JSON";
    const size_t end = text.find("; last read", begin);
    return "invalid JSON (" + text.substr(begin, end == std::string::npos ? end : end - begin) + ")";
  }

  size_t max_depth_;
  Json root_;
  std::string key_, message_;
  std::vector<Json*> open_;  // the objects and arrays around the next value, outermost first
};

// Values of valid JSON, or one more for every empty list or object. The parser stops at the first byte that is not valid, until which
// it sees no more values than are counted here.
size_t most_values(std::string_view text) {
  size_t values = 1;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      in_string = !in_string;
    else if (in_string)
      i += c == '\\';
    else
      values += c == ',' || c == '[' || c == '{';
  }
  return values;
}

std::string broken_limit(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes)
    return "has " + std::to_string(text.size()) + " bytes, at most " + std::to_string(limits.max_bytes) + " are read";
  const size_t begin = text.find_first_not_of(" \t\r\n", text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  if (limits.object && begin != std::string_view::npos && text[begin] != '{') return "expected an object";
  if (text.size() > limits.max_values && most_values(text) > limits.max_values)
    return "holds more than " + std::to_string(limits.max_values) + " values";
  return {};
}

}  // namespace

Json parse_json(std::string_view text, const std::string& where, const JsonLimits& limits) {
  if (const std::string broken = broken_limit(text, limits); !broken.empty()) throw Error(ErrorCode::invalid_model, where, broken);
  StrictBuilder builder(static_cast<size_t>(limits.max_depth));
  if (Json::sax_parse(text, &builder)) return builder.take();
  throw Error(ErrorCode::invalid_model, where, builder.message());
}

Json read_json_file(const std::string& path, const JsonLimits& limits) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, limits);
}

std::string print_json(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::string printable(std::string_view bytes) {
  return valid_text(std::string(bytes));
}

}  // namespace hyalite
