// SPDX-License-Identifier: Apache-2.0
#include "agent/run/run_identity.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace steptrace::agent {
namespace {

store::RunIdentity Of(const std::map<std::string, std::string>& environment) {
  return IdentityFrom([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(RunIdentity, IsNotKnownWhereNobodyTellsIt) {
  EXPECT_EQ(Of({}).job_id, std::nullopt);
  EXPECT_EQ(Of({}).attempt, std::nullopt);
  EXPECT_EQ(Of({{"SLURM_JOB_ID", ""}}).job_id, std::nullopt);
  EXPECT_EQ(Of({{"TORCHELASTIC_RUN_ID", "none"}}).job_id, std::nullopt);
}

TEST(RunIdentity, IsTheSchedulersJobBeforeTheLaunchers) {
  EXPECT_EQ(Of({{"SLURM_JOB_ID", "4711"}}).job_id, "4711");
  EXPECT_EQ(Of({{"TORCHELASTIC_RUN_ID", "train"}}).job_id, "train");
  EXPECT_EQ(Of({{"SLURM_JOB_ID", "4711"}, {"TORCHELASTIC_RUN_ID", "train"}}).job_id, "4711");
  EXPECT_EQ(Of({{"RAY_JOB_ID", "02000000"}, {"LSB_JOBID", "99"}}).job_id, "99");
  EXPECT_EQ(Of({{"RAY_JOB_ID", "02000000"}, {"TORCHELASTIC_RUN_ID", "x"}}).job_id, "02000000");
  EXPECT_EQ(Of({{"TRAINING_JOB_NAME", "resnet-1"}}).job_id, "resnet-1");
  EXPECT_EQ(Of({{"PBS_JOBID", "7.server"}}).job_id, "7.server");
}

TEST(RunIdentity, HasTheLaunchersAttemptBeforeTheSchedulers) {
  EXPECT_EQ(Of({{"SLURM_RESTART_COUNT", "2"}}).attempt, 2);
  EXPECT_EQ(Of({{"SLURM_RESTART_COUNT", "2"}, {"TORCHELASTIC_RESTART_COUNT", "0"}}).attempt, 0);
  for (const char* bad : {"", "x", "1x", "-1", "99999999999999999999"}) {
    EXPECT_EQ(Of({{"SLURM_RESTART_COUNT", bad}}).attempt, std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace steptrace::agent
