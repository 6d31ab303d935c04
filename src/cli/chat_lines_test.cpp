#include "cli/chat_lines.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace hyalite {
namespace {

std::vector<std::string> messages_of(const std::string& typed) {
  std::istringstream in(typed);
  ChatLines lines(in, [](const char*) {});
  std::vector<std::string> messages;
  while (std::optional<std::string> message = lines.next()) messages.push_back(*message);
  return messages;
}

using Messages = std::vector<std::string>;

TEST(ChatLines, ALineIsAMessage) {
  EXPECT_EQ(messages_of("one\ntwo"), (Messages{"one", "two"}));
  EXPECT_EQ(messages_of("dos\r\n"), Messages{"dos"});
  EXPECT_EQ(messages_of(""), Messages{});
}

TEST(ChatLines, ABackslashGoesOn) {
  EXPECT_EQ(messages_of("a\\\nb\\\nc\nd"), (Messages{"a\nb\nc", "d"}));
}

TEST(ChatLines, FencesHoldManyLines) {
  EXPECT_EQ(messages_of("\"\"\"a\n\nb\"\"\"\nc"), (Messages{"a\n\nb", "c"}));
  EXPECT_EQ(messages_of("\"\"\"\na\nb\n\"\"\"\n"), Messages{"a\nb"});
  EXPECT_EQ(messages_of("\"\"\"one line\"\"\"\n"), Messages{"one line"});
}

TEST(ChatLines, TheEndOfInputEndsWhatWasBegun) {
  EXPECT_EQ(messages_of("\"\"\"a\nb"), Messages{"a\nb"});
  EXPECT_EQ(messages_of("a\\"), Messages{"a\n"});
}

TEST(ChatLines, AsksForMoreWithAnotherPrompt) {
  std::istringstream in("a\\\nb\n");
  std::string asked;
  ChatLines lines(in, [&](const char* prompt) { asked += prompt; });
  lines.next();
  EXPECT_EQ(asked, "> . ");
}

}  // namespace
}  // namespace hyalite
