#include "importers/tokenizer_rules.h"

#include "base/error.h"
#include "base/tokenizer_limits.h"

namespace hyalite {
namespace {

constexpr int kMaxDepth = 16;  // of sequences in sequences

// "\Q..\E", with any \E of the text taken out of the quotation.
std::string quoted(std::string text) {
  for (size_t at = text.find("\\E"); at != std::string::npos; at = text.find("\\E", at + 7)) text.replace(at, 2, "\\E\\\\E\\Q");
  return "\\Q" + text + "\\E";
}

const Json* member(const Json& object, const std::string& file, const std::string& field, const char* name) {
  if (!object.is_object()) throw Error(ErrorCode::invalid_model, file + ": " + field, "is no object");
  const auto it = object.find(name);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

}  // namespace

std::string json_text(const Json& object, const std::string& file, const std::string& field, const char* name, const char* otherwise) {
  const Json* value = member(object, file, field, name);
  if (value == nullptr) return otherwise;
  if (!value->is_string()) throw Error(ErrorCode::invalid_model, file + ": " + field + "." + name, "is no string");
  return value->get<std::string>();
}

bool json_flag(const Json& object, const std::string& file, const std::string& field, const char* name, bool otherwise) {
  const Json* value = member(object, file, field, name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) throw Error(ErrorCode::invalid_model, file + ": " + field + "." + name, "is no boolean");
  return value->get<bool>();
}

std::vector<TextRule> RuleReader::normalizers(const Json& json) const {
  std::vector<TextRule> rules;
  read(json, "normalizer", "normalizers", &RuleReader::normalizer, 0, rules);
  return rules;
}

std::vector<TextRule> RuleReader::pre_tokenizers(const Json& json) const {
  std::vector<TextRule> rules;
  read(json, "pre_tokenizer", "pretokenizers", &RuleReader::pre_tokenizer, 0, rules);
  return rules;
}

std::vector<TextRule> RuleReader::decoders(const Json& json) const {
  std::vector<TextRule> rules;
  read(json, "decoder", "decoders", &RuleReader::decoder, 0, rules);
  return rules;
}

void RuleReader::read(const Json& json, const char* field, const char* list, ReadOne one, int depth, std::vector<TextRule>& rules) const {
  if (json.is_null()) return;
  const std::string type = json_text(json, file_, field, "type", "");
  if (type != "Sequence") {
    if (rules.size() == kMaxTextRules) refuse(field, "has more than " + std::to_string(kMaxTextRules) + " rules");
    return rules.push_back((this->*one)(json, type));
  }
  const Json* parts = member(json, file_, field, list);
  if (parts == nullptr || !parts->is_array()) refuse(field, std::string("has no list \"") + list + "\"");
  if (depth == kMaxDepth) refuse(field, "sequences are nested too deep");
  for (const Json& part : *parts) read(part, field, list, one, depth + 1, rules);
}

TextRule RuleReader::normalizer(const Json& json, const std::string& type) const {
  const std::string field = "normalizer";
  TextRule rule{.type = type};
  if (type == "Strip") {
    rule.start = json_flag(json, file_, field, "strip_left", true);
    rule.stop = json_flag(json, file_, field, "strip_right", true);
  } else if (type == "Prepend") {
    rule.content = json_text(json, file_, field, "prepend", "");
  } else if (type == "Replace") {
    rule.pattern = pattern(json, field);
    rule.content = json_text(json, file_, field, "content", "");
  } else if (type == "Precompiled") {
    rule.content = json_text(json, file_, field, "precompiled_charsmap", "");
  } else if (type != "NFC" && type != "NFD" && type != "NFKC" && type != "NFKD" && type != "Lowercase" && type != "StripAccents") {
    throw Error(ErrorCode::unsupported, file_ + ": " + field, "normalizer \"" + type + "\" is not known");
  }
  return rule;
}

TextRule RuleReader::pre_tokenizer(const Json& json, const std::string& type) const {
  const std::string field = "pre_tokenizer";
  TextRule rule{.type = type};
  if (type == "ByteLevel") {
    rule.flag = json_flag(json, file_, field, "add_prefix_space", true);
    rule.use_regex = json_flag(json, file_, field, "use_regex", true);
  } else if (type == "Split") {
    rule.pattern = pattern(json, field);
    rule.behavior = json_text(json, file_, field, "behavior", "Isolated");
    rule.invert = json_flag(json, file_, field, "invert", false);
  } else if (type == "CharDelimiterSplit") {
    rule = {.type = "Split", .pattern = quoted(json_text(json, file_, field, "delimiter", "")), .behavior = "Removed"};
  } else if (type == "Digits") {
    rule.flag = json_flag(json, file_, field, "individual_digits", false);
  } else if (type == "Punctuation") {
    rule.behavior = json_text(json, file_, field, "behavior", "Isolated");
  } else if (type == "Metaspace") {
    rule.content = json_text(json, file_, field, "replacement", kSpaceMark);
    const bool always = json_flag(json, file_, field, "add_prefix_space", true);
    const std::string scheme = json_text(json, file_, field, "prepend_scheme", always ? "always" : "never");
    if (scheme != "always" && scheme != "first" && scheme != "never") refuse(field, "prepend_scheme \"" + scheme + "\" is not known");
    rule.flag = scheme != "never";
    rule.first_only = scheme == "first";
    rule.use_regex = json_flag(json, file_, field, "split", true);
  } else if (type != "Whitespace" && type != "WhitespaceSplit") {
    throw Error(ErrorCode::unsupported, file_ + ": " + field, "pre-tokenizer \"" + type + "\" is not known");
  }
  return rule;
}

TextRule RuleReader::decoder(const Json& json, const std::string& type) const {
  const std::string field = "decoder";
  TextRule rule{.type = type};
  if (type == "Replace") {
    rule.pattern = pattern(json, field);
    rule.content = json_text(json, file_, field, "content", "");
  } else if (type == "Strip") {
    rule.content = json_text(json, file_, field, "content", " ");
    rule.start = count(json, field, "start");
    rule.stop = count(json, field, "stop");
  } else if (type == "Metaspace") {
    rule = pre_tokenizer(json, type);
  } else if (type != "ByteLevel" && type != "ByteFallback" && type != "Fuse") {
    throw Error(ErrorCode::unsupported, file_ + ": " + field, "decoder \"" + type + "\" is not known");
  }
  return rule;
}

std::string RuleReader::pattern(const Json& json, const std::string& field) const {
  const Json* value = member(json, file_, field, "pattern");
  if (value == nullptr) refuse(field + ".pattern", "is missing");
  if (member(*value, file_, field + ".pattern", "Regex") != nullptr) return json_text(*value, file_, field + ".pattern", "Regex", "");
  if (member(*value, file_, field + ".pattern", "String") == nullptr) refuse(field + ".pattern", "is neither a Regex nor a String");
  return quoted(json_text(*value, file_, field + ".pattern", "String", ""));
}

int RuleReader::count(const Json& json, const std::string& field, const char* name) const {
  const Json* value = member(json, file_, field, name);
  if (value == nullptr) return 0;
  if (!value->is_number_integer() || *value < 0 || *value > 1 << 20) refuse(field + "." + name, "is no small count");
  return value->get<int>();
}

void RuleReader::refuse(const std::string& field, const std::string& message) const {
  throw Error(ErrorCode::invalid_model, file_ + ": " + field, message);
}

}  // namespace hyalite
