// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/job_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

class JobFactsTest : public ::testing::Test {
 protected:
  void AddFact(const std::string& kind, const std::string& json, int32_t rank = 0) {
    store::RunMetadataRow row;
    row.kind = strings_.Intern(kind);
    row.json = json;
    row.rank = rank;
    rows_.push_back(row);
  }
  JobFacts Read() { return ReadJobFacts(rows_, strings_); }

  store::StringTable strings_;
  std::vector<store::RunMetadataRow> rows_;
};

TEST_F(JobFactsTest, ReadsWhatTheHooksTell) {
  AddFact("process", R"({"pid": 1, "role": "main"})");
  AddFact("framework", R"({"name": "torch", "version": "2.13.0", "cuda": null})");
  AddFact("framework", R"({"name": "torch", "version": "2.13.0", "cuda": null})");
  AddFact("job", R"({"rank": 0, "world_size": 2, "backend": "gloo"})");
  AddFact("device", R"({"device": 0, "name": "NVIDIA H100"})");
  AddFact("hook", R"({"hook": "optimizer", "state": "active", "reason": "step: wrapped"})");
  AddFact("threads", R"({"intraop": 4})");
  AddFact("autograd", R"({"anomaly": false})");
  AddFact("autograd", R"({"anomaly": true})", 1);
  AddFact("threads", R"({"intraop": 16})", 1);
  AddFact("hook", R"({"hook": "data", "state": "failed", "reason": "TypeError: x"})");
  const JobFacts facts = Read();
  EXPECT_TRUE(facts.python_seen);
  EXPECT_TRUE(facts.torch_seen);
  EXPECT_THAT(facts.frameworks, ElementsAre(Pair("torch", "2.13.0")));
  EXPECT_EQ(facts.world_size, 2);
  EXPECT_EQ(facts.backend, "gloo");
  EXPECT_EQ(facts.intraop_threads, 16);
  EXPECT_TRUE(facts.detects_anomalies);
  EXPECT_THAT(facts.devices, ElementsAre("NVIDIA H100"));
  ASSERT_THAT(facts.hook_failures, SizeIs(1));
  EXPECT_EQ(facts.hook_failures[0].hook, "data");
}

TEST_F(JobFactsTest, OfGradientExchangesTheLastCountOfAProcessHolds) {
  AddFact("gradient_exchange", R"({"wrappers": 1, "exchanging": 4, "withheld": 0})");
  AddFact(
      "gradient_exchange",
      R"({"wrappers": 1, "exchanging": 2, "withheld": 14, "buckets": 2, "gradient_bytes": 4096})");
  AddFact("gradient_exchange", R"({"wrappers": -1, "exchanging": "x", "withheld": 8})", 1);
  const JobFacts facts = Read();
  ASSERT_TRUE(facts.gradient_exchange);
  EXPECT_EQ(facts.gradient_exchange->exchanging, 2);
  EXPECT_EQ(facts.gradient_exchange->withheld, 14);
  EXPECT_EQ(facts.gradient_exchange->buckets, 2);
  EXPECT_EQ(facts.gradient_exchange->bytes, 4096);
}

TEST_F(JobFactsTest, CuptiHookStateIsSortedByCause) {
  AddFact("hook", R"({"state": "limited", "reason": "so", "cause": "cupti_stays", "detail": "S"})");
  AddFact("hook", R"({"state": "unavailable", "reason": "so", "cause": "cupti_taken",
                  "detail": "T"})");
  AddFact("hook",
          R"({"state": "unavailable", "reason": "kernels: CUPTI is taken: by a cause of its own",
                  "cause": "other", "detail": "O"})");
  const JobFacts facts = Read();
  EXPECT_THAT(facts.cupti_stays, ElementsAre("S"));
  EXPECT_THAT(facts.cupti_taken, ElementsAre("T"));
}

TEST_F(JobFactsTest, CuptiHookStateOfOldRunsIsSortedByItsText) {
  AddFact("hook",
          R"({"state": "limited", "reason": "kernels: CUPTI stays in the process, and …"})");
  AddFact("hook",
          R"({"state": "unavailable", "reason": "kernels: CUPTI is taken: another tool …"})");
  AddFact("hook", R"({"state": "unavailable", "reason": "kernels: no CUDA driver"})");
  AddFact("hook", R"({"state": "unavailable", "reason": "operators: CUPTI is taken"})");
  const JobFacts facts = Read();
  EXPECT_THAT(facts.cupti_stays, ElementsAre("CUPTI stays in the process, and …"));
  EXPECT_THAT(facts.cupti_taken, ElementsAre("CUPTI is taken: another tool …"));
}

TEST_F(JobFactsTest, TheTrainingLoaderIsTheLowestRanksWithMostWorkers) {
  AddFact("loader", R"({"workers": 8, "dataset": "Other"})", 1);
  AddFact("loader", R"({"workers": 0, "dataset": "Evaluation"})", 0);
  AddFact("loader", R"({"workers": 2, "dataset": "Training", "pin_memory": true})", 0);
  const JobFacts facts = Read();
  const LoaderFact* loader = TrainingLoader(facts);
  ASSERT_NE(loader, nullptr);
  EXPECT_EQ(loader->dataset, "Training");
  EXPECT_EQ(loader->pin_memory, true);
  EXPECT_FALSE(loader->prefetch_factor.has_value());
}

TEST_F(JobFactsTest, WrappersOfTheModelAddUp) {
  AddFact("data_parallel", R"({"class": "torch.distributed.fsdp.fully_shard",
                            "reshard_after_forward": true})");
  AddFact("data_parallel", R"({"class": "torch.distributed.fsdp.fully_shard",
                            "reshard_after_forward": false})");
  auto wrapper = Read().data_parallel;
  ASSERT_TRUE(wrapper.has_value());
  EXPECT_EQ(wrapper->kind, DataParallelFact::Kind::kFullyShard);
  EXPECT_EQ(wrapper->reshards, true) << "of any layer";
  EXPECT_FALSE(wrapper->finds_unused);
  AddFact("data_parallel", R"({"class": "mine.DDP", "find_unused_parameters": true,
                            "static_graph": true, "bucket_cap_mb": "many"})");
  EXPECT_FALSE(Read().data_parallel->finds_unused) << "a static graph is looked at once";
  EXPECT_FALSE(Read().data_parallel->bucket_mb.has_value());
}

TEST_F(JobFactsTest, HostileFactsAreHeldInBounds) {
  AddFact("loader", R"({"workers": -5, "prefetch_factor": 1e300, "pin_memory": "yes"})");
  AddFact("loader", "[1, 2");
  AddFact("loader", R"({"workers": [[[]]], "dataset": {"a": 1}})");
  AddFact("job", R"({"world_size": 99999999999999999999})");
  AddFact("job", R"({"world_size": -3})");
  AddFact("framework", R"({"name": 7, "version": null})");
  for (const char* none : {"0", "-3", "1e9", "null"}) {
    AddFact("threads", std::string(R"({"intraop": )") + none + "}");
  }
  AddFact("loader", R"({"dataset": ")" + std::string(100'000, 'x') + R"("})");
  AddFact("loader", std::string(5'000, '['));
  const JobFacts facts = Read();
  ASSERT_THAT(facts.loaders, SizeIs(3));
  EXPECT_EQ(facts.loaders[0].workers, 0);
  EXPECT_FALSE(facts.loaders[0].pin_memory.has_value());
  EXPECT_LE(facts.loaders[2].dataset.size(), 256u);
  EXPECT_EQ(facts.world_size, 1);
  EXPECT_FALSE(facts.intraop_threads.has_value());
}

TEST_F(JobFactsTest, WithoutMetadataNothingIsKnown) {
  const JobFacts facts = Read();
  EXPECT_FALSE(facts.python_seen);
  EXPECT_EQ(TrainingLoader(facts), nullptr);
}

TEST_F(JobFactsTest, OfBatchesTheLastCountOfALoaderHolds) {
  AddFact("loader", R"({"loader": 2, "workers": 2})");
  AddFact("batch", R"({"loader": 2, "batches": 1, "samples": 8, "samples_alike": true})");
  AddFact("batch", R"({"loader": 1, "batches": 8, "samples": 99})");
  AddFact("batch", R"({"loader": 2, "batches": 4, "samples": 32, "samples_alike": true,)"
                   R"( "tokens": 4096, "tokens_alike": false})");
  AddFact("batch", R"({"loader": 2, "batches": -5, "samples": 7})");
  const JobFacts facts = Read();
  const BatchFact* batches = TrainingBatches(facts, 0);
  ASSERT_NE(batches, nullptr);
  EXPECT_EQ(batches->batches, 4);
  EXPECT_EQ(batches->tokens, 4096);
  EXPECT_FALSE(batches->tokens_alike);
  EXPECT_EQ(TrainingBatches(facts, 1), nullptr);
  EXPECT_EQ(TrainingBatchSize(facts), 8);
}

TEST_F(JobFactsTest, BatchesThatAreNotAlikeHaveNoSize) {
  AddFact("loader", R"({"loader": 1})");
  AddFact("batch", R"({"loader": 1, "batches": 2, "samples": 12, "samples_alike": false})");
  EXPECT_EQ(TrainingBatchSize(Read()), std::nullopt);
}

TEST_F(JobFactsTest, BatchesHaveSameShapesWhereEachRankSaysSo) {
  AddFact("loader", R"({"loader": 1})");
  EXPECT_FALSE(BatchesHaveSameShapes(Read()));
  AddFact("batch", R"({"loader": 1, "batches": 2, "samples": 8, "shapes_alike": true})");
  EXPECT_TRUE(BatchesHaveSameShapes(Read()));
  AddFact("batch", R"({"loader": 1, "batches": 4, "samples": 16, "shapes_alike": false})");
  EXPECT_FALSE(BatchesHaveSameShapes(Read()));
}

}  // namespace
}  // namespace steptrace::analyze
