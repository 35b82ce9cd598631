// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>

#include "agent/capture/capture_progress.h"
#include "agent/capture/kineto_captures.h"
#include "agent/rows/loss_book.h"
#include "store/run_writer.h"

namespace steptrace::agent {

// The captures of processes without hooks, by Kineto's own protocol, as the run has them: what was
// captured is a window as those of the hooks, what failed is a loss. One thread.
class KinetoRun {
 public:
  using ByHooks = std::function<bool(int32_t pid)>;
  // `folder`: where the traces go. `by_hooks`: whether a process has hooks that capture. `writer`
  // and `losses` must outlive it.
  KinetoRun(KinetoEndpoint endpoint, std::filesystem::path folder, ByHooks by_hooks,
            store::RunWriter& writer, LossBook& losses, int32_t node);

  // How many are asked is added to `progress`; of none, the refusal. `hooked`: whether there are
  // processes with hooks at all.
  void Request(const CaptureDemand& demand, const std::set<int32_t>& ranks, bool hooked,
               int64_t now_ns, CaptureProgress& progress);
  // Looks after those that are under way, and writes down what has ended.
  void Poll(int64_t now_ns);
  // At the end: whom it refused.
  void RecordRefused();

  void AddProgress(uint64_t demand, CaptureProgress& progress) const {
    captures_.AddProgress(demand, progress);
  }
  void Withdraw(uint64_t demand) { captures_.Withdraw(demand); }
  int32_t RankOf(int32_t pid) const { return captures_.RankOf(pid); }
  int fd() { return captures_.endpoint().fd(); }

 private:
  void WriteEnded(const KinetoCaptures::Ended& ended, int64_t now_ns);

  KinetoCaptures captures_;
  ByHooks by_hooks_;
  store::RunWriter& writer_;
  LossBook& losses_;
  int32_t node_;
};

}  // namespace steptrace::agent
