// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_desk.h"

#include <optional>
#include <utility>

#include "agent/capture/demand_service.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

std::unique_ptr<KinetoRun> KinetoOf(CaptureDesk::Options& options, RunCaptures& hooks,
                                    const ProfileFeed::Run& run) {
  if (!options.kineto.valid()) return nullptr;
  return std::make_unique<KinetoRun>(
      KinetoEndpoint(std::move(options.kineto), options.kineto_dir),
      options.run_dir / kProfilesName, [&hooks](int32_t pid) { return hooks.Has(pid); }, run.writer,
      run.losses, options.node);
}

}  // namespace

CaptureDesk::CaptureDesk(Options options, RunCaptures& hooks, const ProfileFeed::Run& run)
    : epoch_monotonic_ns_(run.epoch_monotonic_ns),
      kineto_dir_(options.kineto_dir),
      kineto_(KinetoOf(options, hooks, run)),
      traces_(options.run_dir, "/proc/self/exe", options.keep_traces),
      profiles_(traces_, run,
                [this](int32_t pid) {
                  return kineto_ ? std::optional(kineto_->RankOf(pid)) : std::nullopt;
                }),
      service_(ServiceOf(hooks, kineto_.get(), profiles_,
                         [this] { return MonotonicNowNs() - epoch_monotonic_ns_; })) {}

Status CaptureDesk::OpenPort(const std::filesystem::path& ring_dir) {
  STEPTRACE_ASSIGN_OR_RETURN(port_, CapturePort::Open(ring_dir));
  return {};
}

void CaptureDesk::AddTo(std::vector<pollfd>& waits) {
  port_.AddTo(waits);
  if (kineto_) waits.push_back({kineto_->fd(), POLLIN, 0});
}

void CaptureDesk::Poll(int64_t now_ns, int64_t durable_ns) {
  if (kineto_) kineto_->Poll(now_ns);
  port_.Poll(service_, durable_ns);
}

void CaptureDesk::RecordRefused() {
  if (kineto_) kineto_->RecordRefused();
}

void CaptureDesk::Finish(int64_t now_ns) {
  if (kineto_) kineto_->Poll(now_ns);  // a process that ended in its capture wrote what it had
  profiles_.Finish();
}

void CaptureDesk::RemoveFolder() {
  if (kineto_) RemoveKinetoFolder(kineto_dir_);
}

}  // namespace steptrace::agent
