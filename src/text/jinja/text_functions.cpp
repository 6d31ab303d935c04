#include "text/jinja/text_functions.h"

#include <algorithm>

#include "text/jinja/printing.h"
#include "text/jinja/unicode.h"

namespace hyalite::jinja {

namespace {

// Where the white space (or other characters) at both ends of text stops.
struct Bounds {
  size_t begin, end;
};

template <class Member>
Bounds stripped(std::string_view bytes, Member is_member) {
  Bounds bounds{bytes.size(), 0};
  for (size_t at = 0; at < bytes.size();) {
    CodePoint c = code_point_at(bytes, at);
    if (!is_member(c, bytes.substr(at, c.size))) {
      bounds.begin = std::min(bounds.begin, at);
      bounds.end = at + c.size;
    }
    at += c.size;
  }
  return bounds;
}

size_t next_space(std::string_view bytes, size_t at, bool wanted) {
  while (at < bytes.size()) {
    CodePoint c = code_point_at(bytes, at);
    if (is_space(c.value) == wanted) break;
    at += c.size;
  }
  return at;
}

// [begin, end) of each word.
std::vector<Bounds> words(std::string_view bytes) {
  std::vector<Bounds> result;
  for (size_t at = next_space(bytes, 0, false); at < bytes.size();) {
    size_t end = next_space(bytes, at, true);
    result.push_back({at, end});
    at = next_space(bytes, end, false);
  }
  return result;
}

std::vector<Bounds> split_on_space(std::string_view bytes, size_t limit, bool from_right) {
  std::vector<Bounds> all = words(bytes);
  if (all.size() <= limit) return all;
  // The words beyond the limit stay together with the space between them and, as in Python, with that at the far end.
  if (from_right) {
    size_t joined = all.size() - limit;
    all[joined - 1].begin = 0;
    all.erase(all.begin(), all.begin() + static_cast<ptrdiff_t>(joined) - 1);
  } else {
    all.resize(limit + 1);
    all.back().end = bytes.size();
  }
  return all;
}

std::vector<Bounds> split_on_text(std::string_view bytes, std::string_view separator, size_t limit, bool from_right) {
  std::vector<Bounds> parts;
  if (!from_right) {
    size_t begin = 0;
    while (parts.size() < limit) {
      size_t at = bytes.find(separator, begin);
      if (at == std::string_view::npos) break;
      parts.push_back({begin, at});
      begin = at + separator.size();
    }
    parts.push_back({begin, bytes.size()});
    return parts;
  }
  size_t end = bytes.size();
  while (parts.size() < limit && end >= separator.size()) {
    size_t at = bytes.rfind(separator, end - separator.size());
    if (at == std::string_view::npos) break;
    parts.push_back({at + separator.size(), end});
    end = at;
  }
  parts.push_back({0, end});
  std::reverse(parts.begin(), parts.end());
  return parts;
}

}  // namespace

MarkedText strip(Context& context, const MarkedText& text, const MarkedText* characters, Side side) {
  context.charge_search(text.size(), characters ? characters->size() : 0);
  Bounds kept = stripped(text.bytes(), [&](CodePoint c, std::string_view bytes) {
    return characters ? characters->bytes().find(bytes) != std::string::npos : is_space(c.value);
  });
  if (kept.begin >= kept.end) return {};
  if (side == Side::right) kept.begin = 0;
  if (side == Side::left) kept.end = text.size();
  return text.slice(kept.begin, kept.end);
}

MarkedText replace(Context& context, const MarkedText& text, const MarkedText& from, const MarkedText& to, int64_t count) {
  context.charge_search(text.size(), from.size());
  const std::string& bytes = text.bytes();
  MarkedText out;
  size_t begin = 0, search = 0;
  for (; count != 0; --count) {
    size_t at = bytes.find(from.bytes(), search);
    if (at == std::string::npos) break;
    context.charge_text(out.size(), to.size() + at - begin);
    out.append_slice(text, begin, at);
    out.append(to);
    begin = at + from.size();
    if (!from.empty()) {
      search = begin;
    } else if (at >= bytes.size()) {
      return out;
    } else {
      search = at + code_point_at(bytes, at).size;
    }
  }
  out.append_slice(text, begin, text.size());
  return out;
}

std::vector<Value> split(Context& context, const MarkedText& text, const MarkedText* separator, int64_t limit, bool from_right) {
  context.charge_search(text.size(), separator ? separator->size() : 0);
  if (separator && separator->empty()) context.fail("empty separator");
  size_t most = limit < 0 ? SIZE_MAX : static_cast<size_t>(limit);
  auto parts =
      separator ? split_on_text(text.bytes(), separator->bytes(), most, from_right) : split_on_space(text.bytes(), most, from_right);
  context.charge_items(parts.size());
  std::vector<Value> values;
  values.reserve(parts.size());
  for (const Bounds& part : parts) values.push_back(Value::text(text.slice(part.begin, part.end)));
  return values;
}

std::vector<Value> split_lines(Context& context, const MarkedText& text, bool keep_ends) {
  context.charge_text(text.size());
  std::vector<Value> lines;
  const std::string& bytes = text.bytes();
  for (size_t begin = 0; begin < bytes.size();) {
    size_t end = begin, next = bytes.size();
    while (end < bytes.size()) {
      CodePoint c = code_point_at(bytes, end);
      bool breaks = (c.value >= 0x0a && c.value <= 0x0d) || (c.value >= 0x1c && c.value <= 0x1e) || c.value == 0x85 || c.value == 0x2028 ||
                    c.value == 0x2029;
      if (breaks) {
        next = end + c.size;
        if (c.value == '\r' && next < bytes.size() && bytes[next] == '\n') ++next;
        break;
      }
      end += c.size;
    }
    context.charge_items(1);
    lines.push_back(Value::text(text.slice(begin, keep_ends ? next : end)));
    begin = next;
  }
  return lines;
}

MarkedText map_case(Context& context, const MarkedText& text, Case to) {
  context.charge_text(text.size() * 3);
  const std::string& bytes = text.bytes();
  MarkedText out;
  std::string mapped;
  bool in_word = false;
  for (size_t at = 0; at < bytes.size();) {
    CodePoint c = code_point_at(bytes, at);
    mapped.clear();
    bool first = to == Case::capitalize ? at == 0 : to == Case::title && !in_word;
    if (c.value < 0) {
      mapped = bytes.substr(at, 1);
    } else if (first) {
      append_title(mapped, c.value);
    } else if (to == Case::upper || (to == Case::swap && is_lower(c.value))) {
      append_upper(mapped, c.value);
    } else {
      append_lower(mapped, c.value);
    }
    out.append(mapped, text.user_at(at));
    in_word = is_upper(c.value) || is_lower(c.value);
    at += c.size;
  }
  return out;
}

MarkedText join(Context& context, const std::vector<Value>& items, const MarkedText& separator) {
  MarkedText out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) {
      context.charge_text(out.size(), separator.size());
      out.append(separator);
    }
    append_str(context, out, items[i]);
  }
  return out;
}

MarkedText pad(Context& context, const MarkedText& text, int64_t width, std::string_view filler, Side side) {
  context.charge(text.size());
  auto size = static_cast<int64_t>(count_code_points(text.bytes()));
  if (width <= size) return text;
  auto missing = static_cast<size_t>(width - size);
  context.charge_text(text.size(), missing);
  // The odd filler of a centred text goes where Python puts it.
  size_t left = side == Side::left ? 0 : side == Side::right ? missing : missing / 2 + (missing & static_cast<size_t>(width) & 1);
  MarkedText out;
  for (size_t i = 0; i < left; ++i) out.append(filler, false);
  out.append(text);
  for (size_t i = left; i < missing; ++i) out.append(filler, false);
  return out;
}

}  // namespace hyalite::jinja
