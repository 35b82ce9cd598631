// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/kineto_captures.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/inert_text.h"
#include "base/inherited_mode.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;
using wire::CaptureKind;

// libkineto asks every 5 s; a busy machine may lose it one of its times.
constexpr int64_t kPollNs = 5 * kNsPerSecond;
constexpr int64_t kRequestPatienceNs = 3 * kPollNs;
// Steps may be long, and a trace takes a while to be written.
constexpr int64_t kStepPatienceNs = 120 * kNsPerSecond;
constexpr int64_t kWritePatienceNs = 60 * kNsPerSecond;
// Of several ranks all are to have asked by then; who was told later could not begin with them.
constexpr int64_t kCommonPatienceNs = 2 * kPollNs;
constexpr int64_t kCommonLeadNs = kCommonPatienceNs + 2 * kNsPerSecond;
// Of a process that counts no optimizer steps (C++), in the place of steps.
constexpr int64_t kInsteadOfStepsMs = 1000;
// What the import takes (agent/capture/trace_intake.cc).
constexpr off_t kMostTraceBytes = 1 << 30;
constexpr const char* kPrefix = "kineto-";
// The hooks number a process's traces from 1; it may have both.
constexpr uint64_t kFirstNumber = 1'000'000;

// Ended, be it that nobody has taken its status yet.
bool IsGone(int32_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return true;
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= line.size()) return false;
  return line[name_end + 2] == 'Z' || line[name_end + 2] == 'X';
}

const char* TextOf(const CaptureDemand& demand, CaptureKind kind) {
  return (demand.kinds & static_cast<uint32_t>(kind)) != 0 ? "true" : "false";
}

}  // namespace

std::string KinetoConfig(const CaptureDemand& demand, const fs::path& log_file,
                         int64_t start_unix_ms) {
  std::string text = fmt::format("ACTIVITIES_LOG_FILE={}\n", log_file.string());
  if (demand.steps > 0) {
    text += fmt::format(
        "PROFILE_START_ITERATION=0\nPROFILE_START_ITERATION_ROUNDUP=1\nACTIVITIES_ITERATIONS={}\n"
        "ACTIVITIES_WARMUP_ITERATIONS=0\nACTIVITIES_DURATION_MSECS={}\n",
        demand.steps, kInsteadOfStepsMs);
  } else {
    text += fmt::format(
        "PROFILE_START_TIME={}\nACTIVITIES_WARMUP_PERIOD_SECS={}\nACTIVITIES_DURATION_MSECS={}\n",
        start_unix_ms, start_unix_ms > 0 ? 1 : 0, demand.dur_ns / kNsPerMs);
  }
  return text + fmt::format(
                    "PROFILE_REPORT_INPUT_SHAPES={}\nPROFILE_PROFILE_MEMORY={}\n"
                    "PROFILE_WITH_STACK={}\n",
                    TextOf(demand, CaptureKind::kProfileShapes),
                    TextOf(demand, CaptureKind::kProfileMemory),
                    TextOf(demand, CaptureKind::kProfileStacks));
}

int32_t KinetoRankOf(int32_t pid) {
  constexpr std::string_view kRank = "RANK=";
  std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  for (std::string entry; std::getline(file, entry, '\0');) {
    if (!entry.starts_with(kRank)) continue;
    int32_t rank = -1;
    const char* end = entry.data() + entry.size();
    const auto parsed = std::from_chars(entry.data() + kRank.size(), end, rank);
    return parsed.ec == std::errc() && parsed.ptr == end && rank >= 0 ? rank : -1;
  }
  return -1;
}

KinetoCaptures::KinetoCaptures(KinetoEndpoint endpoint, fs::path folder)
    : endpoint_(std::move(endpoint)), folder_(std::move(folder)) {
  if (mkdir(folder_.c_str(), FolderModeIn(folder_.parent_path())) != 0 && errno != EEXIST) {
    fprintf(stderr, "%s: %s; no process can be captured by Kineto's own protocol\n",
            InertText(folder_.string()).c_str(), strerror(errno));
  }
}

KinetoCaptures::~KinetoCaptures() {
  RemoveOwn();
}

std::string KinetoCaptures::StemOf(int32_t pid) const {
  return fmt::format("{}{}-{}", kPrefix, demand_.id, pid);
}

int KinetoCaptures::Request(const CaptureDemand& demand, const std::set<int32_t>& ranks,
                            const std::function<bool(int32_t)>& by_hooks, int64_t now_ns,
                            int64_t unix_now_ms) {
  std::vector<int32_t> pids;
  bool profiles_itself = false;
  for (const auto& [pid, process] : endpoint_.processes()) {
    const bool meant = ranks.empty() || ranks.contains(KinetoRankOf(pid));
    if (IsGone(pid) || !meant || by_hooks(pid)) continue;
    pids.push_back(pid);
    profiles_itself |= process.profiles_itself;
  }
  if (pids.empty()) return 0;
  if (profiles_itself) return kProfilesItself;
  if (demand.steps > kMostSteps) return kTooMany;
  const bool busy =
      std::ranges::any_of(asked_, [](const auto& entry) { return !entry.second.ended; });
  if (busy || held_) return kBusy;
  held_ = true;
  demand_ = demand;
  asked_.clear();
  start_ns_ = demand.steps == 0 && pids.size() > 1 ? now_ns + kCommonLeadNs : 0;
  const int64_t start_unix_ms = start_ns_ > 0 ? unix_now_ms + kCommonLeadNs / kNsPerMs : 0;
  for (const int32_t pid : pids) {
    // As the hooks have it: who trains alone is rank 0.
    asked_[pid].rank = std::max(KinetoRankOf(pid), pids.size() == 1 ? 0 : -1);
    asked_[pid].until_ns = now_ns + (start_ns_ > 0 ? kCommonPatienceNs : kRequestPatienceNs);
    endpoint_.SetConfig(pid,
                        KinetoConfig(demand, folder_ / (StemOf(pid) + ".json"), start_unix_ms));
  }
  return static_cast<int>(pids.size());
}

void KinetoCaptures::Poll(const std::function<bool(int32_t)>& by_hooks, int64_t now_ns) {
  for (auto& [pid, asked] : asked_) {
    // It may have executed another program meanwhile, and keeps its number.
    if (asked.ended || asked.tracing || !by_hooks(pid)) continue;
    endpoint_.ClearConfig(pid);
    asked.failed = fmt::format("process {} has hooks by now; ask again, for steps", pid);
  }
  endpoint_.Poll(now_ns);
  for (auto& [pid, asked] : asked_) {
    if (!asked.ended) Follow(pid, asked, now_ns);
  }
}

void KinetoCaptures::Follow(int32_t pid, RequestState& asked, int64_t now_ns) {
  const bool gone = IsGone(pid);  // before the look at its file
  if (!asked.tracing && asked.failed.empty()) {
    const auto found = endpoint_.processes().find(pid);
    const bool known = found != endpoint_.processes().end();
    if (known && found->second.handed_out_ns > 0) {
      asked.tracing = true;
      asked.from_ns = std::max(found->second.handed_out_ns, start_ns_);
      asked.until_ns =
          asked.from_ns + kWritePatienceNs + (demand_.steps > 0 ? kStepPatienceNs : demand_.dur_ns);
    } else if (known && !gone && now_ns < asked.until_ns && !found->second.profiles_itself) {
      return;
    } else {
      endpoint_.ClearConfig(pid);
      asked.failed =
          fmt::format("process {} {}", pid,
                      gone || !known ? "ended before it took a trace; capture earlier"
                      : found->second.profiles_itself
                          ? "uses PyTorch's profiler by itself, and that goes first; read its own "
                            "trace, or capture it with hooks"
                          : "did not ask for a trace in time; is it stopped? Else ask again");
    }
  }
  if (asked.tracing && TakeFile(pid, asked)) {
    asked.to_ns = now_ns;
  } else if (asked.tracing && asked.failed.empty() && (gone || now_ns >= asked.until_ns)) {
    asked.failed = fmt::format("process {} {}", pid,
                               gone ? "ended without writing its trace; capture earlier"
                                    : "wrote no trace in time; its own profiler may have taken the "
                                      "place, or its steps are long: capture by --duration");
  }
  asked.ended = asked.to_ns > 0 || !asked.failed.empty();
  if (!asked.ended) return;
  // Also where it wrote none: what it traces from now on was not asked for.
  if (asked.tracing) endpoint_.NoteEnded(pid, now_ns);
  ended_.push_back({pid, asked.rank, demand_, asked.from_ns, asked.to_ns, asked.failed});
}

// It has this name when it is whole: libkineto adds the process's number, and writes beside it.
bool KinetoCaptures::TakeFile(int32_t pid, RequestState& asked) {
  const fs::path file = folder_ / fmt::format("{}_{}.json", StemOf(pid), pid);
  struct stat info {};
  if (lstat(file.c_str(), &info) != 0) return false;
  if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() || info.st_size > kMostTraceBytes) {
    asked.failed = fmt::format(
        "process {}: its trace is larger than 1 GiB, or no plain file; capture less", pid);
    unlink(file.c_str());
    return false;
  }
  const fs::path taken = folder_ / fmt::format("{}-{}.json", pid, kFirstNumber + demand_.id);
  if (rename(file.c_str(), taken.c_str()) != 0) {
    asked.failed = fmt::format("{}: {}", file.string(), strerror(errno));
    return false;
  }
  return true;
}

void KinetoCaptures::AddProgress(uint64_t demand, CaptureProgress& progress) const {
  if (demand_.id != demand) return;
  for (const auto& [pid, asked] : asked_) {
    ++progress.asked;
    if (asked.tracing) ++progress.begun;
    if (!asked.failed.empty()) {
      ++progress.refused;
      progress.refusal = asked.failed;
    } else if (asked.ended) {
      ++progress.ended;
      progress.from_ns =
          progress.from_ns == 0 ? asked.from_ns : std::min(progress.from_ns, asked.from_ns);
      progress.to_ns = std::max(progress.to_ns, asked.to_ns);
      progress.steps = std::max(progress.steps, demand_.steps);
    }
  }
}

int32_t KinetoCaptures::RankOf(int32_t pid) const {
  const auto found = asked_.find(pid);
  return found == asked_.end() ? KinetoRankOf(pid) : found->second.rank;
}

// What a process takes already is taken to its end, and brought into the run.
void KinetoCaptures::Withdraw(uint64_t demand) {
  if (demand_.id != demand) return;
  held_ = false;
  for (auto& [pid, asked] : asked_) {
    endpoint_.ClearConfig(pid);
    if (!asked.tracing) asked.ended = true;
  }
}

// What is left of processes that were killed in their trace.
void KinetoCaptures::RemoveOwn() {
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with(kPrefix)) unlink(entry->path().c_str());
  }
  rmdir(folder_.c_str());  // only if nothing is in it
}

}  // namespace steptrace::agent
