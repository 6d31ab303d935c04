// The artifact of a tiny model: what comes back, and what happens to one that someone has changed.
#include "compile/artifact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "base/digest.h"
#include "base/error.h"
#include "compile/artifact_view.h"
#include "compile/load.h"
#include "importers/testing/files.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

Compilation compile_tiny(const fs::path& model, ThreadPool& pool, const std::atomic<bool>* cancel = nullptr) {
  return compile(model, {.machine = restrict_isa(detect_machine(), IsaLevel::scalar), .isa = IsaLevel::scalar, .cancel = cancel}, pool);
}

class Artifact : public ::testing::Test {
 protected:
  void SetUp() override {
    Json config = tiny_config("llama");
    config["num_hidden_layers"] = 1;
    write_tiny_model(model_, config, 1);
    write_artifact(compile_tiny(model_, pool_), artifact_, pool_);
  }

  // Looks at everything and loads it: no answer but a whole model or Error{invalid_model} is right.
  bool is_refused(const std::string& what) const {
    try {
      const ArtifactView view(artifact_);
      for (const char* mode : {"prefill", "decode"})
        graph_to_json(view.graph(mode)), memory_to_json(view.plan(mode)), kernels_to_json(view.plan(mode));
      view.passes();
      view.weights();
      load_artifact(artifact_);
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_model) << what << ": " << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << what << ": " << error.what();
    }
    return true;
  }

  Json read(const std::string& name) const { return read_json_file((artifact_ / name).string()); }
  void write(const std::string& name, const Json& json) const { std::ofstream(artifact_ / name) << json.dump(); }

  // As a forger would: the digest is that of the changed text.
  void write_signed(const std::string& name, const Json& json) const {
    write(name, json);
    Json description = read("artifact.json");
    description["digests"][name] = digest_of(json.dump());
    write("artifact.json", description);
  }

  testing::TemporaryDirectory place_;
  fs::path model_ = place_.path() / "model", artifact_ = place_.path() / "artifact";
  ThreadPool pool_{1};
};

// Calls `use` with a copy of `json` for every field below it that is changed in one way: removed, or of another kind. Of a list, the first
// item stands for all.
void each_change(const Json& json, const std::function<void(const Json& changed, const std::string& what)>& use) {
  std::function<void(const Json::json_pointer&)> below = [&](const Json::json_pointer& at) {
    const Json& here = json.at(at);
    for (const Json& other : {Json(), Json(-1), Json("text"), Json::array({Json()}), Json::object({{"a", 1}})}) {
      if (at.empty() || other.type() == here.type()) continue;
      Json changed = json;
      changed[at] = other;
      use(changed, at.to_string() + " = " + other.dump());
    }
    if (here.is_array() && !here.empty()) below(at / 0);
    if (!here.is_object()) return;
    for (const auto& [name, value] : here.items()) {
      Json changed = json;
      changed[at].erase(name);
      use(changed, at.to_string() + " without " + name);
      below(at / name);
    }
  };
  below(Json::json_pointer());
}

TEST_F(Artifact, ComesBackAsItWasCompiled) {
  const std::shared_ptr<ModelPlan> want = make_model_plan(compile_tiny(model_, pool_), pool_), got = load_artifact(artifact_);
  EXPECT_EQ(to_json(got->prefill), to_json(want->prefill));
  EXPECT_EQ(to_json(got->decode), to_json(want->decode));
  EXPECT_EQ(got->info.name, want->info.name);
  ASSERT_EQ(got->weights->entries().size(), want->weights->entries().size());
  for (const auto& [key, entry] : want->weights->entries()) {
    const auto& other = got->weights->entries().at(key);
    ASSERT_EQ(other.bytes, entry.bytes) << key.name;
    EXPECT_TRUE(std::equal(entry.data, entry.data + entry.bytes, other.data)) << key.name;
  }
}

TEST_F(Artifact, NamesTheSourcesThatWereImported) {
  const Compilation compilation = compile_tiny(model_, pool_);
  const Json before = read("artifact.json")["source"];
  std::vector<fs::path> sources;
  for (const auto& file : compilation.model.files) sources.push_back(file->path());
  for (const fs::path& source : sources) fs::rename(place_.write("other", "came later"), source);
  write_artifact(compilation, artifact_, pool_);
  EXPECT_EQ(read("artifact.json")["source"], before);
}

TEST_F(Artifact, ChangedDescriptionIsReadOrRefused) {
  int refused = 0;
  each_change(read("artifact.json"), [&](const Json& changed, const std::string& what) {
    write("artifact.json", changed);
    refused += is_refused(what);
  });
  EXPECT_GT(refused, 100);
}

TEST_F(Artifact, ChangedScheduleIsReadOrRefused) {
  int refused = 0;
  each_change(read("schedules/decode.json"), [&](const Json& changed, const std::string& what) {
    write_signed("schedules/decode.json", changed);
    refused += is_refused(what);
  });
  EXPECT_GT(refused, 200);
}

TEST_F(Artifact, DamagedPartsAreFoundByTheirDigest) {
  Json schedule = read("schedules/prefill.json");
  schedule["steps"][0]["predicted_us"] = 7.25;
  write("schedules/prefill.json", schedule);
  EXPECT_TRUE(is_refused("a prediction"));
}

TEST_F(Artifact, InterruptedWritingLeavesTheOldOne) {
  std::atomic<bool> stop = false;
  Compilation compilation = compile_tiny(model_, pool_, &stop);
  stop = true;
  const Json before = read("artifact.json");
  EXPECT_THROW(write_artifact(compilation, artifact_, pool_), Error);
  EXPECT_EQ(read("artifact.json"), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(place_.path()), fs::directory_iterator()), 2);
}

}  // namespace
}  // namespace hyalite
