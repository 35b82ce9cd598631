// SPDX-License-Identifier: Apache-2.0
#include "agent/hang_watch.h"

#include <algorithm>
#include <utility>

#include "agent/finding_row.h"
#include "agent/process.h"
#include "base/time.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {

namespace finding = model::finding;

namespace {

constexpr int64_t kLookNs = kNsPerSecond / 4;
// An agent that was not run for so long says nothing of the training, which may have stood too.
constexpr int64_t kOwnPauseNs = 2 * kNsPerSecond;

}  // namespace

HangWatch::HangWatch(Recorder& recorder, store::StringTable& strings, const HangOptions& options)
    : recorder_(recorder), strings_(strings), detector_(options) {}

void HangWatch::OnEvents(const ProcessSession& session, std::span<const analyze::Event> events) {
  if (!session.trains()) return;
  for (const analyze::Event& event : events) detector_.Add(session.rank(), session.pid(), event);
}

// Who has ended, and who is stopped.
void HangWatch::NoteProcesses(int64_t now_ns) {
  for (const auto& [number, rank] : detector_.ranks()) {
    if (rank.gone) continue;
    const bool recorded = recorder_.HasProcess(rank.pid);
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

HangScene HangWatch::SceneOf(int64_t now_ns, HangProcesses stacks) const {
  HangScene scene;
  scene.now_ns = now_ns;
  scene.stuck = detector_.Stuck(now_ns);
  scene.workers = recorder_.Workers();
  scene.stacks = std::move(stacks);
  scene.world_size =
      std::max<int32_t>(recorder_.world_size(), static_cast<int32_t>(detector_.ranks().size()));
  return scene;
}

store::FindingRow HangWatch::Row(int64_t now_ns, const char* severity,
                                 const model::Finding& found) const {
  return MakeFindingRow(now_ns, severity, "hang", found, strings_);
}

HangWatch::News HangWatch::Turn(int64_t now_ns, bool all_drained) {
  News news;
  if (seen_ns_ >= 0 && now_ns - seen_ns_ < kLookNs) return news;
  if (seen_ns_ >= 0 && now_ns - seen_ns_ > kOwnPauseNs) detector_.NotePause(now_ns);
  seen_ns_ = now_ns;
  NoteProcesses(now_ns);
  if (!told_.empty()) {
    if (!detector_.GoesOn(told_, told_since_ns_)) return news;
    news.findings.push_back(
        Row(now_ns, "info", Make(finding::LiveHangOver{.time = now_ns - told_since_ns_})));
    told_.clear();
    return news;
  }
  if (stacks_.under_way()) {
    auto stacks = stacks_.Take(now_ns);
    if (!stacks) return news;
    HangScene scene = SceneOf(now_ns, *std::move(stacks));
    if (scene.stuck.empty()) return news;
    HangFinding hang = DescribeHang(scene, detector_, strings_);
    store::FindingRow row = Row(now_ns, "error", hang.found);
    news.notice = "hang: " + row.text;
    row.evidence = std::move(hang.evidence);
    news.findings.push_back(std::move(row));
    told_ = std::move(scene.stuck);
    told_since_ns_ = 0;
    for (int32_t rank : told_) {
      told_since_ns_ = std::max(told_since_ns_, detector_.ranks().at(rank).progress.last_step_ns());
    }
  } else if (all_drained && !detector_.Stuck(now_ns).empty()) {
    stacks_.Begin(recorder_.Roots(), now_ns);
  }
  return news;
}

std::optional<store::FindingRow> HangWatch::EndWell(int64_t now_ns) {
  if (told_.empty()) return std::nullopt;
  told_.clear();
  return Row(now_ns, "info", Make(finding::LiveNoHang{}));
}

}  // namespace steptrace::agent
