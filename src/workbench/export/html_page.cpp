#include "workbench/export/html_page.h"

#include <string_view>

#include "base/error.h"
#include "workbench/export/page_files.h"

namespace hyalite {
namespace {

std::string escape_html(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// JSON holds '<' in strings only, and there it may be written as an escape: no "</script>" and no "<!--" is left.
std::string script_safe(const Json& json) {
  std::string out;
  for (char c : json.dump(-1, ' ', false, Json::error_handler_t::replace))
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

}  // namespace

std::string html_page(const Json& report) {
  const std::string title = report.at("model").value("name", "model") + " " + report.at("mode").get<std::string>();
  const std::string_view page = page_files::page_html;
  std::string out;
  for (size_t at = 0; at < page.size();) {
    size_t open = page.find("{{", at);
    out += page.substr(at, open - at);
    if (open == std::string_view::npos) break;
    size_t close = page.find("}}", open);
    HYALITE_CHECK(close != std::string_view::npos, "page.html: a {{ without its }}");
    std::string_view slot = page.substr(open + 2, close - open - 2);
    if (slot == "title")
      out += escape_html(title);
    else if (slot == "style")
      out += page_files::page_css;
    else if (slot == "script")
      out += page_files::page_js;
    else if (slot == "data")
      out += script_safe(report);
    at = close + 2;
  }
  return out;
}

}  // namespace hyalite
