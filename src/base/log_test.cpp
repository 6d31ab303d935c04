#include "base/log.h"

#include <gtest/gtest.h>

#include <string>

namespace hyalite {
namespace {

std::string printed(const LogOptions& options, void (*talk)(const Log&)) {
  testing::internal::CaptureStderr();
  talk(Log(options));
  return testing::internal::GetCapturedStderr();
}

TEST(Log, PrefixesWhatIsNotPlainInformation) {
  EXPECT_EQ(printed({}, [](const Log& log) { log.info("loaded"); }), "loaded\n");
  EXPECT_EQ(printed({}, [](const Log& log) { log.warning("slow disk"); }), "warning: slow disk\n");
  EXPECT_EQ(printed({}, [](const Log& log) { log.error("no such file"); }), "error: no such file\n");
}

TEST(Log, DropsWhatIsBelowItsLevel) {
  const auto talk = [](const Log& log) {
    log.debug("d");
    log.info("i");
    log.warning("w");
    log.error("e");
  };
  EXPECT_EQ(printed({.level = LogLevel::debug}, talk), "debug: d\ni\nwarning: w\nerror: e\n");
  EXPECT_EQ(printed({.level = LogLevel::error}, talk), "error: e\n");
}

TEST(Log, ColoursOnlyThePrefix) {
  const std::string text = printed({.color = true}, [](const Log& log) { log.warning("slow"); });
  EXPECT_EQ(text.find("\033["), 0U);
  EXPECT_NE(text.find("warning:\033[m slow\n"), std::string::npos) << text;
}

TEST(Log, KeepsTextOfFilesFromDrivingTheTerminal) {
  EXPECT_EQ(printed({}, [](const Log& log) { log.info("a\033[2Jb\nc {} %v"); }), "a?[2Jb?c {} %v\n");
}

TEST(WantsColor, NeedsATerminalAndNoVeto) {
  EXPECT_FALSE(wants_color(-1, nullptr));
  EXPECT_FALSE(wants_color(2, "1"));
}

}  // namespace
}  // namespace hyalite
