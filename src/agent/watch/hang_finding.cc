// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/hang_finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyze/code/code_place.h"
#include "analyze/json/stored_finding.h"
#include "base/time.h"
#include "base/utf8.h"
#include "model/finding_kinds.h"
#include "present/words/quantity.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {

namespace finding = model::finding;

namespace {

using analyze::HookName;
using Json = nlohmann::ordered_json;
using Rank = HangDetector::Rank;

constexpr size_t kMaxNameBytes = 120;
constexpr size_t kMaxRanksInText = 4;  // groups of ranks, and missing ones
constexpr size_t kMaxReportedProcesses = 64;
constexpr size_t kMaxReportedFrames = 32;
constexpr int64_t kStoppedRecentlyNs = kNsPerSecond;

// Texts come from the training: cut, and in one line.
std::string Clean(std::string_view text, size_t most = kMaxNameBytes) {
  std::string clean(text.substr(0, most));
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return CleanUtf8(clean);
}

std::string FrameText(const HangFrame& frame) {
  std::string file = Clean(analyze::FileName(frame.file));
  if (frame.line > 0) file += fmt::format(":{}", frame.line);
  return fmt::format("{} ({})", Clean(analyze::ShortFunction(frame.function)), file);
}

// Where a thread is in words: the innermost line of the training's own files, else of any.
std::string PlaceText(const std::vector<HangFrame>& frames) {
  const auto own = std::find_if(frames.rbegin(), frames.rend(), [](const HangFrame& frame) {
    return analyze::PlaceOf(frame.file).origin == analyze::CodeOrigin::kUser;
  });
  if (own != frames.rend()) return FrameText(*own);
  return frames.empty() ? std::string() : FrameText(frames.back());
}

const HangThread* ThreadOf(const HangProcesses& stacks, int32_t pid, int32_t tid) {
  const auto process = stacks.find(pid);
  if (process == stacks.end() || process->second.threads.empty()) return nullptr;
  for (const int32_t wanted : {tid, pid}) {
    for (const HangThread& thread : process->second.threads) {
      if (thread.tid == wanted) return &thread;
    }
  }
  return &process->second.threads.front();
}

// "f (train.py:3)", or why that is not known.
struct Place {
  std::string text;
  std::string reason;
};

Place PlaceOf(const HangProcesses& stacks, int32_t pid, int32_t tid) {
  if (const HangThread* thread = ThreadOf(stacks, pid, tid)) return {PlaceText(thread->frames), ""};
  const auto process = stacks.find(pid);
  return {"", process == stacks.end() ? "" : Clean(process->second.reason)};
}

const OpenPhase* InnermostOf(const Rank& rank) {
  return InnermostPhase(rank.progress.open());
}

const char* PhaseText(HookName name) {
  switch (name) {
    case HookName::kData:
      return "data";
    case HookName::kLoaderIter:
      return "loader_iter";
    case HookName::kBackward:
      return "backward";
    case HookName::kOptimizer:
      return "optimizer";
    case HookName::kCheckpoint:
      return "checkpoint";
    case HookName::kForward:
      return "forward";
    case HookName::kEvaluation:
      return "evaluation";
    case HookName::kLogging:
      return "logging";
    case HookName::kCapture:
      return "capture";
    case HookName::kGc:
      return "gc";
    case HookName::kCompile:
      return "compile";
    default:
      return "other";
  }
}

std::string RanksText(const std::vector<int32_t>& ranks) {
  std::vector<int32_t> shown(ranks.begin(), ranks.begin() + std::min<size_t>(ranks.size(), 8));
  return fmt::format("{}{}", fmt::join(shown, ", "), ranks.size() > shown.size() ? ", ..." : "");
}

using Item = finding::LiveHang::Item;

Item NewItem() {
  return {.missing = false, .data = false, .gone = false, .stopped = false};
}

// What is found, made of one scene.
class HangDescriber {
 public:
  HangDescriber(const HangScene& scene, const HangDetector& detector,
                const store::StringTable& strings)
      : scene_(scene), detector_(detector), strings_(strings) {
    for (const auto& [number, rank] : detector.ranks()) {
      (Waits(rank) ? waiting_ : others_).push_back(number);
    }
  }

  model::Finding Found() const {
    const Rank& first = RankOf(scene_.stuck.front());
    int64_t last_step_ns = 0;
    for (int32_t rank : scene_.stuck) {
      last_step_ns = std::max(last_step_ns, RankOf(rank).progress.last_step_ns());
    }
    finding::LiveHang hang{.time = scene_.now_ns - last_step_ns,
                           .usual = first.progress.usual_ns(),
                           .step = first.progress.steps(),
                           .together = !waiting_.empty(),
                           .elsewhere = false,
                           .items = std::vector<Item>()};
    if (waiting_.empty()) {
      DescribeEach(hang);
    } else {
      DescribeGroups(hang);
    }
    model::Finding found = Make(std::move(hang));
    for (int32_t rank : scene_.stuck) found.subject.AddRank(rank);
    return found;
  }

  std::string Evidence(const model::Finding& found) const {
    Json json;
    analyze::AddFinding(found, json);
    json["usual_step_ns"] = RankOf(scene_.stuck.front()).progress.usual_ns();
    json["stuck"] = scene_.stuck;
    json["missing"] = waiting_.empty() ? std::vector<int32_t>{} : others_;
    json["ranks"] = Json::array();
    for (const auto& [number, rank] : detector_.ranks()) {
      if (json["ranks"].size() >= kMaxReportedProcesses) break;
      json["ranks"].push_back(RankJson(number, rank));
    }
    json["workers"] = Json::array();
    for (const auto& [rank, pid] : scene_.workers) {
      if (json["workers"].size() >= kMaxReportedProcesses) break;
      Json worker = {{"rank", rank}, {"pid", pid}};
      AddStack(worker, pid, pid);
      json["workers"].push_back(std::move(worker));
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  const Rank& RankOf(int32_t rank) const { return detector_.ranks().at(rank); }

  // In something that needs the other ranks.
  bool Waits(const Rank& rank) const {
    const OpenPhase* phase = InnermostOf(rank);
    if (rank.gone || phase == nullptr) return false;
    if (phase->name == HookName::kCollective) return true;
    const bool may = phase->name == HookName::kBackward || phase->name == HookName::kOptimizer;
    return may && scene_.world_size > 1 && AnyStuckIn(phase->name);
  }

  bool AnyStuckIn(HookName name) const {
    return std::any_of(scene_.stuck.begin(), scene_.stuck.end(), [&](int32_t rank) {
      const OpenPhase* phase = InnermostOf(RankOf(rank));
      return phase != nullptr && phase->name == name;
    });
  }

  void SetPhase(const Rank& rank, Item& item) const {
    const OpenPhase* phase = InnermostOf(rank);
    if (phase == nullptr) return;
    if (phase->name != HookName::kCollective) {
      item.phase = PhaseText(phase->name);
      return;
    }
    item.phase = Clean(strings_.Text(phase->text));
    if (phase->a != 0) item.bytes = static_cast<double>(phase->a);
  }

  static bool IsInData(const Rank& rank) {
    const OpenPhase* phase = InnermostOf(rank);
    return phase != nullptr && phase->name == HookName::kData;
  }

  // 0: none, or its batch had arrived, and what takes so long is the training's own thread.
  static int32_t AwaitedWorker(const OpenPhase& data) {
    if ((data.b & wire::kBatchArrived) != 0) return 0;
    return static_cast<int32_t>(std::min<uint64_t>(data.b, INT32_MAX));
  }

  void SetPlace(const Rank& rank, Item& item) const {
    const Place place = PlaceOf(scene_.stacks, rank.pid, rank.progress.tid());
    item.place = place.text;
    item.reason = place.reason;
  }

  // The worker whose batch it awaits, and where that is; else where its own thread is.
  void SetData(const Rank& rank, Item& item) const {
    item.data = true;
    const int32_t worker = AwaitedWorker(*InnermostOf(rank));
    if (worker == 0) return SetPlace(rank, item);
    item.worker = worker;
    const Place place = PlaceOf(scene_.stacks, worker, worker);
    item.place = place.text;
    item.reason = place.reason;
  }

  Item AloneItem(int32_t number) const {
    const Rank& rank = RankOf(number);
    Item item = NewItem();
    item.rank = number;
    if (IsInData(rank)) {
      SetData(rank, item);
    } else {
      SetPhase(rank, item);
      SetPlace(rank, item);
    }
    return item;
  }

  void DescribeEach(finding::LiveHang& hang) const {
    for (size_t i = 0; i < std::min(scene_.stuck.size(), kMaxRanksInText); ++i) {
      hang.items.value.push_back(AloneItem(scene_.stuck[i]));
    }
    if (scene_.stuck.size() > kMaxRanksInText) hang.more = scene_.stuck.size() - kMaxRanksInText;
  }

  // Ranks that wait in one place, by what it is called and by its size as it is said.
  std::vector<Item> Groups() const {
    std::map<std::pair<std::string, std::string>, std::pair<Item, std::vector<int32_t>>> places;
    for (int32_t rank : waiting_) {
      Item item = NewItem();
      SetPhase(RankOf(rank), item);
      const std::string size = item.bytes ? present::FormatBytes(*item.bytes) : std::string();
      places.try_emplace({item.phase, size}, item, std::vector<int32_t>())
          .first->second.second.push_back(rank);
    }
    std::vector<Item> groups;
    for (auto& [key, group] : places) {
      if (groups.size() == kMaxRanksInText) break;
      group.first.ranks = RanksText(group.second);
      group.first.count = static_cast<int64_t>(group.second.size());
      groups.push_back(std::move(group.first));
    }
    return groups;
  }

  void DescribeGroups(finding::LiveHang& hang) const {
    hang.items = Groups();
    if (others_.empty()) {
      hang.elsewhere = scene_.world_size > static_cast<int32_t>(waiting_.size());
      if (hang.elsewhere.value) return;
      const Rank& first = RankOf(waiting_.front());
      const Place place = PlaceOf(scene_.stacks, first.pid, first.progress.tid());
      hang.place = place.text;
      hang.reason = place.reason;
      return;
    }
    for (size_t i = 0; i < std::min(others_.size(), kMaxRanksInText); ++i) {
      hang.items.value.push_back(MissingItem(others_[i]));
    }
    if (others_.size() > kMaxRanksInText) hang.more = others_.size() - kMaxRanksInText;
  }

  Item MissingItem(int32_t number) const {
    const Rank& rank = RankOf(number);
    Item item = rank.gone ? NewItem() : AloneItem(number);
    item.rank = number;
    item.missing = true;
    item.gone = rank.gone;
    if (!rank.gone && IsStopped(rank)) {
      item.stopped = true;
      item.data = false;
      item.worker.reset();
      SetPlace(rank, item);
    }
    return item;
  }

  bool IsStopped(const Rank& rank) const {
    return rank.stopped_ns >= 0 && scene_.now_ns - rank.stopped_ns < kStoppedRecentlyNs;
  }

  void AddStack(Json& json, int32_t pid, int32_t tid) const {
    if (const HangThread* thread = ThreadOf(scene_.stacks, pid, tid)) {
      json["running"] = thread->running;
      json["stack"] = Json::array();
      for (auto frame = thread->frames.rbegin();
           frame != thread->frames.rend() && json["stack"].size() < kMaxReportedFrames; ++frame) {
        json["stack"].push_back({{"function", Clean(frame->function)},
                                 {"file", Clean(frame->file, 512)},
                                 {"line", frame->line}});
      }
      return;
    }
    const auto process = scene_.stacks.find(pid);
    const bool known = process != scene_.stacks.end() && !process->second.reason.empty();
    json["no_stack"] = known ? Clean(process->second.reason) : "it could not be read in time";
  }

  Json RankJson(int32_t number, const Rank& rank) const {
    Json json = {{"rank", number}, {"pid", rank.pid}};
    if (rank.gone) {
      json["state"] = "gone";
      return json;
    }
    json["state"] = IsStopped(rank) ? "stopped"
                    : std::binary_search(scene_.stuck.begin(), scene_.stuck.end(), number)
                        ? "stuck"
                        : "going";
    json["steps"] = rank.progress.steps();
    json["collectives"] = rank.progress.collectives();
    json["quiet_ns"] = scene_.now_ns - rank.progress.last_event_ns();
    if (const OpenPhase* phase = InnermostOf(rank)) {
      const bool collective = phase->name == HookName::kCollective;
      json["in"] = {
          {"name", collective ? Clean(strings_.Text(phase->text)) : PhaseText(phase->name)},
          {"since_ns", phase->begin_ns}};
      if (collective && phase->a > 0) json["in"]["bytes"] = phase->a;
      if (phase->name == HookName::kData && AwaitedWorker(*phase) > 0) {
        json["in"]["worker"] = AwaitedWorker(*phase);
      }
    }
    AddStack(json, rank.pid, rank.progress.tid());
    return json;
  }

  const HangScene& scene_;
  const HangDetector& detector_;
  const store::StringTable& strings_;
  std::vector<int32_t> waiting_;  // ranks in what needs all of them
  std::vector<int32_t> others_;
};

}  // namespace

HangFinding DescribeHang(const HangScene& scene, const HangDetector& detector,
                         const store::StringTable& strings) {
  const HangDescriber describer(scene, detector, strings);
  model::Finding found = describer.Found();
  std::string evidence = describer.Evidence(found);
  return {std::move(found), std::move(evidence)};
}

}  // namespace steptrace::agent
