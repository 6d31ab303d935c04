#include "workbench/export/html_page.h"

#include <gtest/gtest.h>

#include <regex>

#include "workbench/export/export.h"

namespace hyalite {
namespace {

Json small_report(const std::string& name) {
  return {{"mode", "decode"}, {"model", {{"name", name}}}, {"steps", Json::array()}};
}

std::string data_of(const std::string& page) {
  const std::string open = "<script id=\"report\" type=\"application/json\">";
  size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(HtmlPage, IsOneFileThatAsksForNothing) {
  std::string page = html_page(small_report("tiny"));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_NE(page.find("</html>"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_FALSE(std::regex_search(page, std::regex(R"((src|href)\s*=\s*["']?(https?:)?//|@import|url\((?!#)|fetch\()")));
}

TEST(HtmlPage, DataComesBackAsItWas) {
  Json report = small_report("tiny");
  report["steps"] = {{{"reason", "a < b, \"quoted\", \\ and {{title}}"}}};
  EXPECT_EQ(Json::parse(data_of(html_page(report))), report);
}

TEST(HtmlPage, HostileNamesStayText) {
  const std::string name = "</script><script>alert(1)</script><!--<b>&\"";
  std::string page = html_page(small_report(name));
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;/script&gt;"), std::string::npos);
  EXPECT_EQ(Json::parse(data_of(page)).at("model").at("name"), name);
}

TEST(HtmlPage, NamesThatAreNotUtf8AreReplaced) {
  std::string page = html_page(small_report("bad \xff name"));
  EXPECT_NE(data_of(page).find("bad \xEF\xBF\xBD name"), std::string::npos);
}

}  // namespace
}  // namespace hyalite
