// Text in, text out: each tests/passes/<pass>/<case>.cir holds a module, what one run of the pass makes of it, and the remarks.
//
//   // What the case shows. Lines "// numerics: reference" (or fast) and "// cache: 1000000" (bytes) set the target.
//   graph ...
//   // expect                     or "// expect unchanged"
//   graph ...
//   // remarks
//   // refused blk.0.attn: why
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "passes/pass_manager.h"
#include "passes/testing_pass.h"

namespace hyalite {
namespace {

struct Case {
  std::string input, expected;
  std::vector<std::string> remarks;
  bool unchanged = false;
  PassContext context{
      .target = {.multiplied = {DType::f32, DType::f16, DType::bf16, DType::q4_0, DType::q4_1, DType::q4_k, DType::q6_k, DType::q8_0},
                 .screened = {DType::q8_0, DType::q6_k}}};
};

Case read(const std::filesystem::path& path) {
  std::ifstream file(path);
  Case result;
  enum { input, expected, remarks } part = input;
  for (std::string line; std::getline(file, line);) {
    if (line == "// expect" || line == "// expect unchanged") {
      part = expected;
      result.unchanged = line.ends_with("unchanged");
    } else if (line == "// remarks") {
      part = remarks;
    } else if (part == remarks) {
      if (line.starts_with("// ")) result.remarks.push_back(line.substr(3));
    } else {
      if (line == "// numerics: reference") result.context.target.numerics = Numerics::reference;
      if (line == "// numerics: fast") result.context.target.numerics = Numerics::fast;
      if (line.starts_with("// cache: ")) result.context.target.last_level_cache_bytes = std::stoll(line.substr(10));
      (part == input ? result.input : result.expected) += line + "\n";
    }
  }
  if (result.unchanged) result.expected = result.input;
  return result;
}

std::vector<std::string> lines_of(const std::vector<Remark>& remarks) {
  std::vector<std::string> lines;
  for (const Remark& remark : remarks) lines.push_back(std::string(name_of(remark.kind)) + " " + remark.path + ": " + remark.text);
  return lines;
}

std::vector<std::filesystem::path> cases() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(HYALITE_SOURCE_DIR "/tests/passes"))
    if (entry.path().extension() == ".cir") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

class PassText : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(PassText, GivesTheExpectedText) {
  const Pass* pass = pass_named(GetParam().parent_path().filename().string());
  ASSERT_TRUE(pass) << "the folder is not the name of a pass";
  Case given = read(GetParam());
  Module module = parse_module(given.input, "input"), expected = parse_module(given.expected, "expected");
  std::vector<PassTrace> traces = run_passes({&pass, 1}, module, given.context);
  EXPECT_EQ(print(module.graphs.at(0)), print(expected.graphs.at(0)));
  module.stage.clear();
  EXPECT_EQ(print(module), print(expected));
  EXPECT_EQ(traces[0].changed, !given.unchanged);
  EXPECT_EQ(lines_of(traces[0].remarks), given.remarks);

  std::vector<PassTrace> again = run_passes({&pass, 1}, module, given.context);
  EXPECT_FALSE(again[0].changed) << "not idempotent";
}

INSTANTIATE_TEST_SUITE_P(Cases, PassText, testing::ValuesIn(cases()), [](const auto& given) {
  std::string name = given.param.parent_path().filename().string() + "_" + given.param.stem().string();
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(Pipelines, EveryPassHasTextTests) {
  for (const Pass* pass : default_pipeline()) {
    std::filesystem::path folder = std::filesystem::path(HYALITE_SOURCE_DIR "/tests/passes") / pass->name;
    EXPECT_TRUE(std::filesystem::is_directory(folder)) << pass->name;
    EXPECT_FALSE(pass->summary.empty()) << pass->name;
    EXPECT_EQ(pass_named(pass->name), pass) << "two passes of one name";
  }
}

}  // namespace
}  // namespace hyalite
