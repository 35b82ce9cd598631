// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/kineto_run.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/time.h"
#include "model/finding_kinds.h"
#include "store/metadata_keys.h"
#include "wire/ring_layout.h"

namespace steptrace::agent {

using Key = store::MetadataKey;
using store::NameOf;

KinetoRun::KinetoRun(KinetoEndpoint endpoint, std::filesystem::path folder, ByHooks by_hooks,
                     store::RunWriter& writer, LossBook& losses, int32_t node)
    : captures_(std::move(endpoint), std::move(folder)),
      by_hooks_(std::move(by_hooks)),
      writer_(writer),
      losses_(losses),
      node_(node) {}

void KinetoRun::Request(const CaptureDemand& demand, const std::set<int32_t>& ranks, bool hooked,
                        int64_t now_ns, CaptureProgress& progress) {
  const int asked = captures_.Request(demand, ranks, by_hooks_, now_ns, UtcNowNs() / kNsPerMs);
  if (asked > 0) progress.asked += asked;
  if (progress.asked > 0) return;
  if (asked == KinetoCaptures::kBusy) {
    progress.refusal = "another capture by Kineto goes on; ask again after it";
  } else if (asked == KinetoCaptures::kProfilesItself) {
    progress.refusal =
        "one of these processes uses PyTorch's profiler by itself, and a capture from outside "
        "could "
        "crash it; read its own trace, or capture it with hooks";
  } else if (asked == KinetoCaptures::kTooMany) {
    progress.refusal = "Kineto is asked for 100 steps at most; ask for fewer";
  } else if (demand.steps == 0 || !hooked) {
    progress.refusal =
        "no process of these asks Kineto's endpoint (yet): it needs a PyTorch of 2.0 or later, and "
        "to be without hooks; ask again once it trains";
  }
}

void KinetoRun::Poll(int64_t now_ns) {
  captures_.Poll(by_hooks_, now_ns);
  for (const KinetoCaptures::Ended& ended : captures_.TakeEnded()) WriteEnded(ended, now_ns);
}

// What has been captured is a window of the run, as those of the hooks (run_captures.cc).
void KinetoRun::WriteEnded(const KinetoCaptures::Ended& ended, int64_t now_ns) {
  const LossSubject subject{ended.rank, ended.pid};
  if (!ended.failed.empty()) {
    losses_.Once(subject, LossCause::kWindow, -1, now_ns,
                 Make(model::finding::LossKinetoFailed{.reason = ended.failed}));
    return;
  }
  // Asked from outside, PyTorch (2.13) tells Kineto of no allocation.
  constexpr auto kMemory = static_cast<uint32_t>(wire::CaptureKind::kProfileMemory);
  if ((ended.demand.kinds & kMemory) != 0) {
    losses_.Once(subject, LossCause::kWindow, -1, now_ns,
                 Make(model::finding::LossKinetoNoMemory{}));
  }
  store::RunMetadataRow fact;
  fact.ts_ns = now_ns;
  fact.node = node_;
  fact.rank = ended.rank;
  fact.pid = ended.pid;
  fact.kind = writer_.strings().Intern(NameOf(store::MetadataKind::kWindow));
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

void KinetoRun::RecordRefused() {
  const KinetoEndpoint::Refused& refused = captures_.endpoint().refused();
  if (refused.damaged + refused.strangers + refused.too_many == 0) return;
  store::RunMetadataRow fact;
  fact.node = node_;
  fact.kind = writer_.strings().Intern(NameOf(store::MetadataKind::kHook));
  fact.json = nlohmann::ordered_json({{"hook", "kineto"},
                                      {"state", "refused"},
                                      {"damaged", refused.damaged},
                                      {"strangers", refused.strangers},
                                      {"too_many", refused.too_many}})
                  .dump();
  writer_.Append(fact);
}

}  // namespace steptrace::agent
