// SPDX-License-Identifier: Apache-2.0
// The part of the Agent that has processes without hooks captured by Kineto's own protocol.
#include <nlohmann/json.hpp>

#include "agent/agent.h"
#include "base/time.h"
#include "store/metadata_keys.h"

namespace steptrace::agent {

using Key = store::MetadataKey;
using store::NameOf;

// Of the hooks where there are any; of Kineto in the processes without.
CaptureProgress Agent::Ask(const CaptureDemand& demand, const std::set<int32_t>& ranks) {
  CaptureProgress progress;
  if (demand.steps > 0) progress = recorder_->Ask(demand, ranks);
  if (!kineto_) {
    if (demand.steps == 0) {
      progress.refusal =
          "a duration is for processes without hooks, in a run that was started with --kineto; "
          "use --steps";
    }
    return progress;
  }
  const auto by_hooks = [this](int32_t pid) { return recorder_->HasProcess(pid); };
  const int asked = kineto_->Ask(demand, ranks, by_hooks, NowNs(), UtcNowNs() / kNsPerMs);
  if (asked > 0) progress.asked += asked;
  if (progress.asked > 0) return progress;
  if (asked == KinetoCaptures::kBusy) {
    progress.refusal = "another capture by Kineto goes on; ask again after it";
  } else if (asked == KinetoCaptures::kProfilesItself) {
    progress.refusal =
        "one of these processes uses PyTorch's profiler by itself, and a capture from outside "
        "could "
        "crash it; read its own trace, or capture it with hooks";
  } else if (asked == KinetoCaptures::kTooMany) {
    progress.refusal = "Kineto is asked for 100 steps at most; ask for fewer";
  } else if (demand.steps == 0 || recorder_->Roots().empty()) {
    progress.refusal =
        "no process of these asks Kineto's endpoint (yet): it needs a PyTorch of 2.0 or later, and "
        "to be without hooks; ask again once it trains";
  }
  return progress;
}

// What has been captured is a window of the run, as those of the hooks (recorder_captures.cc).
void Agent::TurnKineto(int64_t now_ns) {
  kineto_->Turn([this](int32_t pid) { return recorder_->HasProcess(pid); }, now_ns);
  for (const KinetoCaptures::Ended& ended : kineto_->TakeEnded()) {
    if (!ended.failed.empty()) {
      recorder_->losses().Once({ended.rank, ended.pid}, LossCause::kWindow, -1, now_ns,
                               "a capture by Kineto: " + ended.failed);
      continue;
    }
    // Asked from outside, PyTorch (2.13) tells Kineto of no allocation.
    constexpr auto kMemory = static_cast<uint32_t>(wire::CaptureKind::kProfileMemory);
    if ((ended.demand.kinds & kMemory) != 0) {
      recorder_->losses().Once({ended.rank, ended.pid}, LossCause::kWindow, -1, now_ns,
                               "a capture by Kineto holds no memory: PyTorch tells it only to its "
                               "own profiler; capture it with hooks");
    }
    store::FactRow fact;
    fact.ts_ns = now_ns;
    fact.node = manifest_.nodes[0].node;
    fact.rank = ended.rank;
    fact.pid = ended.pid;
    fact.kind = writer_.strings().Intern(store::NameOf(store::MetadataKind::kWindow));
    fact.json =
        nlohmann::ordered_json({{"source", "demand"},
                                {NameOf(Key::kBy), "kineto"},
                                {NameOf(Key::kKinds), KindsText(ended.demand.kinds & ~kMemory)},
                                {NameOf(Key::kEnd), "done"},
                                {NameOf(Key::kSteps), ended.demand.steps},
                                {NameOf(Key::kFromNs), ended.from_ns},
                                {NameOf(Key::kToNs), ended.to_ns}})
            .dump();
    writer_.Append(fact);
  }
}

void Agent::TellRefusedKineto() {
  if (!kineto_) return;
  const KinetoEndpoint::Refused& refused = kineto_->endpoint().refused();
  if (refused.damaged + refused.strangers + refused.too_many == 0) return;
  AppendFact(store::MetadataKind::kHook, {{"hook", "kineto"},
                                          {"state", "refused"},
                                          {"damaged", refused.damaged},
                                          {"strangers", refused.strangers},
                                          {"too_many", refused.too_many}});
}

}  // namespace steptrace::agent
