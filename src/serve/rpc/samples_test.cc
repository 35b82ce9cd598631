// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/test_run.h"

namespace steptrace::rpc {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

constexpr int64_t kSampleMs = 1'000'000;

// Rank 0's process (pid 10) with its main thread (track 1) and another one (track 2), and a worker
// (pid 11, track 4), seen every 10 ms: the training thread waits in next(), the worker decodes.
class SamplesTest : public testing::Test {
 protected:
  std::filesystem::path run() const { return dir_.path() / "run"; }

  void SetUp() override {
    store::RunWriter writer = store::MakeWriter(run());
    strings_ = &writer.strings();
    AddTrack(writer, 0, "process", std::nullopt, 10, std::nullopt);
    AddTrack(writer, 1, "thread", 0, 10, 10);
    AddTrack(writer, 2, "thread", 0, 10, 12);
    AddTrack(writer, 3, "worker", std::nullopt, 11, std::nullopt);
    AddTrack(writer, 4, "thread", 3, 11, 11);
    AddStack(writer, 0, std::nullopt, "main", "/job/train.py", 9);
    AddStack(writer, 1, 0, "next", "/lib/loader.py", 100);
    AddStack(writer, 2, std::nullopt, "loop", "/lib/worker.py", 3);
    AddStack(writer, 3, 2, "<b>decode</b>", "/job/data.py", 41);
    for (int64_t i = 0; i < 100; ++i) {
      AddSample(writer, i * 10 * kSampleMs, 1, 1, "waiting");
      AddSample(writer, i * 10 * kSampleMs, 4, i % 4 == 0 ? 2 : 3, "running");
      if (i % 10 == 0) AddSample(writer, i * 10 * kSampleMs, 2, 0, "waiting");
    }
    ASSERT_OK(writer.Close(store::CompletedManifest()));
  }
  void AddTrack(store::RunWriter& writer, int32_t number, const char* kind,
                std::optional<int32_t> parent, int64_t pid, std::optional<int64_t> tid) {
    store::TrackRow row;
    row.track = number;
    row.kind = strings_->Intern(kind);
    row.parent = parent;
    row.rank = 0;
    row.pid = pid;
    row.tid = tid;
    writer.Append(row);
  }
  void AddStack(store::RunWriter& writer, int32_t stack, std::optional<int32_t> parent,
                const char* function, const char* file, int32_t line) {
    writer.Append(store::StackRow{stack, parent, strings_->Intern("python"),
                                  strings_->Intern(function), strings_->Intern(file), line});
  }
  void AddSample(store::RunWriter& writer, int64_t ts_ns, int32_t track, int32_t stack,
                 const char* state) {
    writer.Append(store::SampleRow{ts_ns, track, stack, strings_->Intern(state), 10 * kSampleMs});
  }
  json Query(const SamplesQuery& query) {
    const auto text = SamplesJson(run(), query);
    EXPECT_TRUE(text.ok()) << (text.ok() ? "" : text.error().text());
    return json::parse(*text);
  }
  static std::vector<std::string> Functions(const json& answer) {
    std::vector<std::string> names;
    for (const auto& node : answer["nodes"]) names.push_back(node["function"]);
    return names;
  }

  store::TempDir dir_;
  store::StringTable* strings_ = nullptr;
};

TEST_F(SamplesTest, OfEachKindOfThread) {
  const json all = Query({});
  ASSERT_EQ(all["kinds"].size(), 3u);
  EXPECT_EQ(all["kinds"][0]["kind"], "training");
  EXPECT_EQ(all["kinds"][0]["waiting_ns"], 1000 * kSampleMs);
  EXPECT_EQ(all["kinds"][1]["kind"], "worker");
  EXPECT_EQ(all["kinds"][1]["samples"], 100);
  EXPECT_EQ(all["kinds"][2]["samples"], 10);
  EXPECT_EQ(all["ranks"], json::array({0}));
  EXPECT_THAT(Functions(all), ElementsAre("main", "next", "loop", "<b>decode</b>"));

  const json worker = Query({.threads = ThreadKind::kWorker});
  EXPECT_THAT(Functions(worker), ElementsAre("loop", "<b>decode</b>"));
  EXPECT_EQ(worker["nodes"][1]["parent"], 0);
  EXPECT_EQ(worker["nodes"][1]["running_ns"], 750 * kSampleMs);
  EXPECT_EQ(worker["nodes"][1]["file"], "/job/data.py");
  EXPECT_EQ(worker["nodes"][1]["line"], 41);
  EXPECT_EQ(worker["nodes"][0]["self_running_ns"], 250 * kSampleMs);
  EXPECT_EQ(worker["nodes"][0]["running_samples"], 100) << "its own and its callees'";
  EXPECT_EQ(worker["nodes"][1]["running_samples"], 75);
  EXPECT_EQ(worker["nodes"][1]["waiting_samples"], 0);
  EXPECT_EQ(worker["kinds"].size(), 3u) << "there is more to choose";

  const json training = Query({.threads = ThreadKind::kTraining});
  EXPECT_EQ(training["nodes"][1]["waiting_ns"], 1000 * kSampleMs);
  EXPECT_EQ(training["nodes"][0]["self_waiting_ns"], 0);
}

TEST_F(SamplesTest, SamplesOfATimeRange) {
  const json part = Query({.threads = ThreadKind::kWorker,
                           .rank = {},
                           .from_ns = 200 * kSampleMs,
                           .to_ns = 400 * kSampleMs});
  EXPECT_EQ(part["kinds"][1]["samples"], 20);
  EXPECT_EQ(part["nodes"][0]["running_ns"], 200 * kSampleMs);
  EXPECT_EQ(part["nodes"][1]["running_ns"], 150 * kSampleMs);
  EXPECT_TRUE(Query({.threads = {}, .rank = {}, .from_ns = 5000 * kSampleMs, .to_ns = {}})["nodes"]
                  .empty());
}

TEST_F(SamplesTest, OfARank) {
  EXPECT_EQ(Query({.threads = {}, .rank = 0})["nodes"].size(), 4u);
  const json none = Query({.threads = {}, .rank = 3});
  EXPECT_TRUE(none["nodes"].empty());
  EXPECT_EQ(none["ranks"], json::array({0}));
}

TEST_F(SamplesTest, ARunWithoutSamplesHasNone) {
  store::MakeTwoRanks(dir_.path() / "other", 3);
  const auto text = SamplesJson(dir_.path() / "other", {});
  ASSERT_OK(text);
  EXPECT_TRUE(json::parse(*text)["nodes"].empty());
  EXPECT_TRUE(json::parse(*text)["kinds"].empty());
}

TEST(ThreadKinds, HaveNames) {
  EXPECT_EQ(ParseThreadKind("worker"), ThreadKind::kWorker);
  EXPECT_FALSE(ParseThreadKind("").has_value());
  EXPECT_FALSE(ParseThreadKind("Workers").has_value());
}

}  // namespace
}  // namespace steptrace::rpc
