// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/ingest/recorder.h"
#include "agent/watch/job.h"

namespace steptrace::agent {

// The processes of a recorder, as observers ask for them.
class RecordedJob : public Job {
 public:
  // `recorder` must outlive it.
  explicit RecordedJob(const Recorder& recorder) : recorder_(recorder) {}

  bool all_drained() const override { return recorder_.all_drained(); }
  bool HasProcess(int32_t pid) const override { return recorder_.sessions().Has(pid); }
  std::vector<JobRoot> Roots() const override { return recorder_.sessions().Roots(); }
  std::vector<std::pair<int32_t, int32_t>> Workers() const override {
    return recorder_.sessions().Workers();
  }
  std::vector<analyze::RankProcess> RankProcesses() const override {
    return recorder_.facts().RankProcesses();
  }
  int32_t world_size() const override { return recorder_.sessions().world_size(); }

 private:
  const Recorder& recorder_;
};

}  // namespace steptrace::agent
