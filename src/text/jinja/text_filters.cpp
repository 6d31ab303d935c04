// Filters that take and give text.
#include "text/jinja/arguments.h"
#include "text/jinja/text_functions.h"
#include "text/jinja/unicode.h"

namespace hyalite::jinja {

namespace {

template <Case to>
Value case_filter(Context& context, const Value& value, const Bound&) {
  return Value::text(map_case(context, to_text(context, value), to));
}

// Unlike str.title(), only a letter behind white space, a dash or an opening bracket becomes upper case.
Value title(Context& context, const Value& value, const Bound&) {
  MarkedText text = to_text(context, value);
  context.charge_text(text.size() * 3);
  MarkedText out;
  bool at_start = true;
  for (size_t at = 0; at < text.size();) {
    CodePoint c = code_point_at(text.bytes(), at);
    std::string mapped;
    if (c.value < 0) {
      mapped = text.bytes().substr(at, 1);
    } else if (at_start) {
      append_upper(mapped, c.value);
    } else {
      append_lower(mapped, c.value);
    }
    out.append(mapped, text.user_at(at));
    at_start = is_space(c.value) ||
               (c.value > 0 && c.value < 0x80 && std::string_view("-({[<").find(static_cast<char>(c.value)) != std::string_view::npos);
    at += c.size;
  }
  return Value::text(std::move(out));
}

Value trim(Context& context, const Value& value, const Bound& arguments) {
  MarkedText text = to_text(context, value);
  bool on_space = !arguments.has(0) || arguments[0]->is(Kind::none);
  return Value::text(strip(context, text, on_space ? nullptr : &text_argument(context, *arguments[0]), Side::both));
}

Value replace_filter(Context& context, const Value& value, const Bound& arguments) {
  bool all = !arguments.has(2) || arguments[2]->is(Kind::none);
  return Value::text(replace(context, to_text(context, value), to_text(context, *arguments[0]), to_text(context, *arguments[1]),
                             all ? -1 : integer_argument(context, *arguments[2])));
}

// indent(width=4, first=False, blank=False); the width may be the text to put in front itself.
Value indent(Context& context, const Value& value, const Bound& arguments) {
  MarkedText prefix;
  if (arguments.has(0) && arguments[0]->is(Kind::text)) {
    prefix = arguments[0]->as_text();
  } else {
    prefix = pad(context, {}, integer_or(context, arguments[0], 4), " ", Side::left);
  }
  bool first = boolean_or(arguments[1], false), blank = boolean_or(arguments[2], false);
  MarkedText text = to_text(context, value);
  text.append("\n", false);  // as Jinja does, so that an empty last line counts
  std::vector<Value> lines = split_lines(context, text, false);
  MarkedText out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out.append("\n", false);
    const MarkedText& line = lines[i].as_text();
    bool indented = i == 0 ? first : blank || !line.empty();
    context.charge_text(out.size(), prefix.size() + line.size());
    if (indented) out.append(prefix);
    out.append(line);
  }
  return Value::text(std::move(out));
}

Value escape(Context& context, const Value& value, const Bound&) {
  MarkedText text = to_text(context, value), out;
  context.charge_text(text.size() * 5);
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text.bytes()[at];
    std::string_view replaced = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&#34;" : c == '\'' ? "&#39;" : "";
    out.append(replaced.empty() ? std::string_view(&c, 1) : replaced, text.user_at(at));
  }
  return Value::text(std::move(out));
}

Value wordcount(Context& context, const Value& value, const Bound&) {
  MarkedText text = to_text(context, value);
  context.charge(text.size());
  int64_t count = 0;
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    CodePoint c = code_point_at(text.bytes(), at);
    bool word = c.value == '_' || is_alpha(c.value) || is_numeric(c.value);
    if (word && !in_word) ++count;
    in_word = word;
    at += c.size;
  }
  return Value::integer(count);
}

// truncate(length=255, killwords=False, end='...', leeway=5)
Value truncate(Context& context, const Value& value, const Bound& arguments) {
  Value text = Value::text(to_text(context, value));
  MarkedText end = text_or(context, arguments[2], "...");
  int64_t most = integer_or(context, arguments[0], 255), leeway = integer_or(context, arguments[3], 5);
  int64_t kept = most - static_cast<int64_t>(count_code_points(end.bytes()));
  if (kept < 0 || leeway < 0) context.fail("truncate() needs a length of at least that of its end, and a leeway of at least 0");
  if (length(context, text) <= most + std::min<int64_t>(leeway, INT32_MAX)) return text;
  MarkedText out = get_slice(context, text, Value(), Value::integer(kept), Value()).as_text();
  size_t space = out.bytes().rfind(' ');
  if (!boolean_or(arguments[1], false) && space != std::string::npos) out = out.slice(0, space);
  out.append(end);
  return Value::text(std::move(out));
}

constexpr Builtin table[] = {
    {"upper", "", 0, case_filter<Case::upper>},
    {"lower", "", 0, case_filter<Case::lower>},
    {"capitalize", "", 0, case_filter<Case::capitalize>},
    {"title", "", 0, title},
    {"trim", "chars", 0, trim},
    {"replace", "old new count", 2, replace_filter},
    {"indent", "width first blank", 0, indent},
    {"escape", "", 0, escape},
    {"e", "", 0, escape},
    {"safe", "", 0, [](Context& c, const Value& v, const Bound&) { return Value::text(to_text(c, v)); }},
    {"string", "", 0, [](Context& c, const Value& v, const Bound&) { return Value::text(to_text(c, v)); }},
    {"wordcount", "", 0, wordcount},
    {"truncate", "length killwords end leeway", 0, truncate},
    {"center", "width", 0,
     [](Context& c, const Value& v, const Bound& a) {
       return Value::text(pad(c, to_text(c, v), integer_or(c, a[0], 80), " ", Side::both));
     }},
};

}  // namespace

std::span<const Builtin> text_filters() {
  return table;
}

}  // namespace hyalite::jinja
