#include <algorithm>
#include <cmath>

#include "text/jinja/printing.h"
#include "text/jinja/unicode.h"

namespace hyalite::jinja {

namespace {

class JsonWriter {
 public:
  JsonWriter(Context& context, const JsonStyle& style) : context_(context), style_(style) {}

  void write(const Value& value, int level) {
    context_.charge_text(out_.size(), 1);
    switch (value.kind()) {
      case Kind::none: out_ += "null"; break;
      case Kind::boolean: out_ += value.as_boolean() ? "true" : "false"; break;
      case Kind::integer: out_ += std::to_string(value.as_integer()); break;
      case Kind::real: out_ += format_number(value.as_real()); break;
      case Kind::text: write_text(value.as_bytes()); break;
      case Kind::list:
      case Kind::tuple: write_list(value.as_items(), level); break;
      case Kind::dict: write_dict(value.as_dict(), level); break;
      default: context_.fail("Object of type " + std::string(value.type_name()) + " is not JSON serializable");
    }
  }

  std::string take() { return std::move(out_); }

 private:
  static std::string format_number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
    return format_real(value);
  }

  void new_line(int level) {
    if (!style_.indented) return;
    context_.charge_text(out_.size(), style_.indent.size() * static_cast<size_t>(level));
    out_ += '\n';
    for (int i = 0; i < level; ++i) out_ += style_.indent;
  }

  void write_separator(const std::string& separator) {
    context_.charge_text(out_.size(), separator.size());
    out_ += separator;
  }

  void write_list(const std::vector<Value>& items, int level) {
    out_ += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) write_separator(style_.item_separator);
      new_line(level + 1);
      write(items[i], level + 1);
    }
    if (!items.empty()) new_line(level);
    out_ += ']';
  }

  void write_dict(const Dict& dict, int level) {
    std::vector<const std::pair<Value, Value>*> items;
    for (const auto& item : dict.items) items.push_back(&item);
    if (style_.sort_keys) {
      for (const auto* item : items) {
        if (!item->first.is(Kind::text)) context_.fail("keys of different types cannot be sorted");
      }
      std::sort(items.begin(), items.end(), [](auto* a, auto* b) { return a->first.as_bytes() < b->first.as_bytes(); });
    }
    out_ += '{';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) write_separator(style_.item_separator);
      new_line(level + 1);
      write_key(items[i]->first);
      write_separator(style_.key_separator);
      write(items[i]->second, level + 1);
    }
    if (!items.empty()) new_line(level);
    out_ += '}';
  }

  void write_key(const Value& key) {
    if (key.is(Kind::text)) return write_text(key.as_bytes());
    if (key.is(Kind::tuple)) context_.fail("keys must be str, int, float, bool or None, not tuple");
    out_ += '"';
    write(key, 0);
    out_ += '"';
  }

  void write_text(const std::string& bytes) {
    context_.charge_text(out_.size(), bytes.size());
    out_ += '"';
    for (size_t at = 0; at < bytes.size();) {
      CodePoint c = code_point_at(bytes, at);
      write_character(c, std::string_view(bytes).substr(at, c.size));
      at += c.size;
    }
    out_ += '"';
  }

  void write_character(CodePoint c, std::string_view bytes) {
    switch (c.value) {
      case '"': out_ += "\\\""; return;
      case '\\': out_ += "\\\\"; return;
      case '\n': out_ += "\\n"; return;
      case '\r': out_ += "\\r"; return;
      case '\t': out_ += "\\t"; return;
      case '\f': out_ += "\\f"; return;
      case '\b': out_ += "\\b"; return;
      default: break;
    }
    if (c.value >= 0 && (c.value < 0x20 || (style_.ensure_ascii && c.value > 0x7e))) {
      write_escape(c.value);
    } else {
      out_ += bytes;
    }
  }

  void write_escape(int32_t code) {
    if (code >= 0x10000) {
      write_escape(0xd800 + ((code - 0x10000) >> 10));
      code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    static constexpr char digits[] = "0123456789abcdef";
    out_ += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out_ += digits[(code >> shift) & 15];
  }

  Context& context_;
  const JsonStyle& style_;
  std::string out_;
};

}  // namespace

MarkedText to_json(Context& context, const Value& value, const JsonStyle& style) {
  JsonWriter writer(context, style);
  writer.write(value, 0);
  return MarkedText(writer.take(), value.any_user());
}

}  // namespace hyalite::jinja
