#include "text/normalizer.h"

#include <utf8proc.h>

#include <cstdlib>

#include "base/error.h"
#include "text/char_class.h"
#include "text/charsmap.h"
#include "text/regex.h"
#include "text/rule_place.h"

namespace hyalite {
namespace {

bool is_ascii(std::string_view text) {
  for (char c : text)
    if (static_cast<unsigned char>(c) >= 128) return false;
  return true;
}

class UnicodeForm : public NormalizerStep {
 public:
  explicit UnicodeForm(int options) : options_(static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE)) {}
  std::string apply(std::string text, TextBudget&) const override {
    if (is_ascii(text)) return text;  // every form leaves ASCII alone
    utf8proc_uint8_t* mapped = nullptr;
    const auto* in = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const utf8proc_ssize_t bytes = utf8proc_map(in, static_cast<utf8proc_ssize_t>(text.size()), &mapped, options_);
    const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owner(mapped, std::free);
    if (bytes < 0) throw Error(ErrorCode::invalid_argument, "text", std::string("cannot be normalized: ") + utf8proc_errmsg(bytes));
    return {reinterpret_cast<const char*>(mapped), static_cast<size_t>(bytes)};
  }

 private:
  utf8proc_option_t options_;
};

class Lowercase : public NormalizerStep {
 public:
  std::string apply(std::string text, TextBudget&) const override {
    std::string out;
    out.reserve(text.size());
    for (std::string_view rest = text; !rest.empty();) {
      const Character c = decode_character(rest);
      append_utf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c.code))), out);
      if (c.code == 0x130) append_utf8(0x307, out);  // the one letter whose lower case is two characters
      rest.remove_prefix(c.bytes);
    }
    return out;
  }
};

class StripAccents : public NormalizerStep {
 public:
  std::string apply(std::string text, TextBudget&) const override {
    std::string out;
    for (std::string_view rest = text; !rest.empty();) {
      const Character c = decode_character(rest);
      if (!(char_class(c.code) & kMark)) out += rest.substr(0, c.bytes);
      rest.remove_prefix(c.bytes);
    }
    return out;
  }
};

class Strip : public NormalizerStep {
 public:
  Strip(bool left, bool right) : left_(left), right_(right) {}
  std::string apply(std::string text, TextBudget&) const override {
    std::string_view rest = text;
    while (left_ && !rest.empty() && (char_class(decode_character(rest).code) & kSpace)) rest.remove_prefix(decode_character(rest).bytes);
    while (right_ && !rest.empty() && (char_class(decode_last_character(rest).code) & kSpace))
      rest.remove_suffix(decode_last_character(rest).bytes);
    return std::string(rest);
  }

 private:
  bool left_, right_;
};

class Prepend : public NormalizerStep {
 public:
  explicit Prepend(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string apply(std::string text, TextBudget&) const override { return text.empty() ? text : prefix_ + text; }

 private:
  std::string prefix_;
};

class ReplaceLiteral : public NormalizerStep {
 public:
  ReplaceLiteral(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) {}
  std::string apply(std::string text, TextBudget& budget) const override {
    size_t at = text.find(from_);
    if (at == std::string::npos) return text;
    std::string out;
    out.reserve(text.size() + text.size() / 4);
    size_t copied = 0;
    for (; at != std::string::npos; at = text.find(from_, copied)) {
      budget.check(out.size() + to_.size());
      out.append(text, copied, at - copied);
      out += to_;
      copied = at + from_.size();
    }
    out.append(text, copied);
    return out;
  }

 private:
  std::string from_, to_;
};

class ReplaceRegex : public NormalizerStep {
 public:
  ReplaceRegex(const std::string& pattern, std::string to) : regex_(pattern), to_(std::move(to)) {}
  std::string apply(std::string text, TextBudget& budget) const override {
    std::string out;
    size_t copied = 0;
    regex_.find_all(text, budget, [&](size_t begin, size_t end) {
      budget.check(out.size() + to_.size());
      out.append(text, copied, begin - copied);
      out += to_;
      copied = end;
    });
    out.append(text, copied);
    return out;
  }

 private:
  Regex regex_;
  std::string to_;
};

class Precompiled : public NormalizerStep {
 public:
  explicit Precompiled(const std::string& base64) : map_(base64) {}
  std::string apply(std::string text, TextBudget& budget) const override { return map_.apply(text, budget); }

 private:
  Charsmap map_;
};

std::unique_ptr<NormalizerStep> make_step(const TextRule& rule) {
  const std::string& type = rule.type;
  if (type == "NFC") return std::make_unique<UnicodeForm>(UTF8PROC_COMPOSE);
  if (type == "NFD") return std::make_unique<UnicodeForm>(UTF8PROC_DECOMPOSE);
  if (type == "NFKC") return std::make_unique<UnicodeForm>(UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
  if (type == "NFKD") return std::make_unique<UnicodeForm>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
  if (type == "Lowercase") return std::make_unique<Lowercase>();
  if (type == "StripAccents") return std::make_unique<StripAccents>();
  if (type == "Strip") return std::make_unique<Strip>(rule.start > 0, rule.stop > 0);
  if (type == "Prepend") return std::make_unique<Prepend>(rule.content);
  if (type == "Replace") return make_replace_step(rule);
  if (type == "Precompiled") return std::make_unique<Precompiled>(rule.content);
  throw Error(ErrorCode::unsupported, "tokenizer", "normalizer \"" + type + "\" is not known");
}

// The text between \Q and \E, where that is the whole pattern.
bool is_literal(std::string_view pattern) {
  return pattern.starts_with("\\Q") && pattern.size() > 4 && pattern.find("\\E", 2) == pattern.size() - 2;
}

}  // namespace

std::unique_ptr<NormalizerStep> make_replace_step(const TextRule& rule) {
  if (is_literal(rule.pattern)) return std::make_unique<ReplaceLiteral>(rule.pattern.substr(2, rule.pattern.size() - 4), rule.content);
  return std::make_unique<ReplaceRegex>(rule.pattern, rule.content);
}

Normalizer::Normalizer(const std::vector<TextRule>& rules) {
  for (size_t i = 0; i < rules.size(); ++i) at_rule("normalizer", i, [&] { steps_.push_back(make_step(rules[i])); });
}

std::string Normalizer::apply(std::string_view text, TextBudget& budget) const {
  std::string out(text);
  for (size_t i = 0; i < steps_.size(); ++i)
    at_rule("normalizer", i, [&] {
      out = steps_[i]->apply(std::move(out), budget);
      budget.take(out.size());
    });
  return out;
}

}  // namespace hyalite
