// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/hang_watch.h"

#include <algorithm>
#include <utility>

#include "agent/system/process.h"
#include "base/time.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {

namespace finding = model::finding;

namespace {

constexpr int64_t kHangCheckPeriodNs = kNsPerSecond / 4;
// An agent that was not run for so long says nothing of the training, which may have stood too.
constexpr int64_t kOwnPauseNs = 2 * kNsPerSecond;

Alert HangAlert(store::Severity severity, model::Finding found) {
  return {.found = std::move(found), .severity = severity, .subject = "hang", .urgent = true};
}

}  // namespace

HangWatch::HangWatch(const store::StringTable& strings, const HangOptions& options)
    : strings_(strings), detector_(options) {}

void HangWatch::OnEvents(const EventSource& source, std::span<const analyze::Event> events) {
  if (!source.trains) return;
  for (const analyze::Event& event : events) detector_.Add(source.rank, source.pid, event);
}

// Who has ended, and who is stopped.
void HangWatch::NoteProcesses(int64_t now_ns, const Job& job) {
  for (const auto& [number, rank] : detector_.ranks()) {
    if (rank.gone) continue;
    const bool recorded = job.HasProcess(rank.pid);
    if (!recorded) {
      detector_.NoteGone(number);
      continue;
    }
    if (now_ns - rank.progress.last_event_ns() < kNsPerSecond) continue;
    const auto identity = ReadProcessIdentity(rank.pid);
    if (identity && (identity->state == 'T' || identity->state == 't')) {
      detector_.NoteStopped(number, now_ns);
    }
  }
}

HangScene HangWatch::SceneOf(int64_t now_ns, HangProcesses stacks, const Job& job) const {
  HangScene scene;
  scene.now_ns = now_ns;
  scene.stuck = detector_.Stuck(now_ns);
  scene.workers = job.Workers();
  scene.stacks = std::move(stacks);
  scene.world_size =
      std::max<int32_t>(job.world_size(), static_cast<int32_t>(detector_.ranks().size()));
  return scene;
}

std::vector<Alert> HangWatch::MakeAlerts(HangScene scene) {
  HangFinding hang = DescribeHang(scene, detector_, strings_);
  Alert alert = HangAlert(store::Severity::kError, std::move(hang.found));
  alert.evidence = std::move(hang.evidence);
  alert.noticed = true;
  reported_ = std::move(scene.stuck);
  reported_since_ns_ = 0;
  for (int32_t rank : reported_) {
    reported_since_ns_ =
        std::max(reported_since_ns_, detector_.ranks().at(rank).progress.last_step_ns());
  }
  return {std::move(alert)};
}

std::vector<Alert> HangWatch::CheckForHang(int64_t now_ns, const Job& job) {
  if (seen_ns_ >= 0 && now_ns - seen_ns_ < kHangCheckPeriodNs) return {};
  if (seen_ns_ >= 0 && now_ns - seen_ns_ > kOwnPauseNs) detector_.NotePause(now_ns);
  seen_ns_ = now_ns;
  NoteProcesses(now_ns, job);
  if (!reported_.empty()) {
    if (!detector_.GoesOn(reported_, reported_since_ns_)) return {};
    reported_.clear();
    return {HangAlert(store::Severity::kInfo,
                      Make(finding::LiveHangOver{.time = now_ns - reported_since_ns_}))};
  }
  if (stacks_.under_way()) {
    auto stacks = stacks_.Take(now_ns);
    if (!stacks) return {};
    HangScene scene = SceneOf(now_ns, *std::move(stacks), job);
    if (!scene.stuck.empty()) return MakeAlerts(std::move(scene));
  } else if (job.all_drained() && !detector_.Stuck(now_ns).empty()) {
    stacks_.Begin(job.Roots(), now_ns);
  }
  return {};
}

std::vector<Alert> HangWatch::Check(Moment moment, int64_t now_ns, const Job& job) {
  if (moment == Moment::kPoll) return CheckForHang(now_ns, job);
  if (moment != Moment::kEndedWell || reported_.empty()) return {};
  reported_.clear();
  return {HangAlert(store::Severity::kInfo, Make(finding::LiveNoHang{}))};
}

}  // namespace steptrace::agent
