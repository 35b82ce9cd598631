// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "analyze/cost/cost.h"
#include "base/result.h"
#include "serve/rpc/rules.h"
#include "store/run_list.h"

namespace steptrace::rpc {

// A list of runs is answered after it, whether all their verdicts are made or not.
inline constexpr std::chrono::milliseconds kListWait{300};

// Where many rows are to be made, those that are there are told so often: each telling asks for the
// whole list.
inline constexpr std::chrono::milliseconds kMostUntold{5000};

// What a list of runs tells by a run's report: the one that its end left, or one that is made now.
struct ListedFigures {
  std::string verdict;  // in a few words, "data pipeline 97 %"; empty: there is none
  std::optional<int64_t> steps;
  std::optional<int64_t> duration_ns;
  std::string suspect;  // of the verdict, as it is stored; empty: none
};
enum class ReportSource : uint8_t { kKept, kMade };
// kMade: of a run that is not large; else, and with kKept, only what is there.
ListedFigures FiguresOf(const std::filesystem::path& run, ReportSource source);

// The runs that are shown: all of a folder, or one of them. Shared by threads. What of a run only
// its report tells is made by a thread of the catalog's own, one run after the other.
class RunCatalog {
 public:
  using TakeMemory = std::function<std::unique_lock<std::mutex>()>;
  using MakeReport = std::function<Result<std::string>(const std::filesystem::path&)>;

  // `only`: the name of the one folder that is shown. `take_memory`: what is held while a report is
  // made, if anything. `make_report`: makes a report's JSON; none: it is made here.
  RunCatalog(std::filesystem::path folder, std::optional<std::string> only,
             TakeMemory take_memory = {}, std::chrono::milliseconds most_unreported = kMostUntold,
             MakeReport make_report = {});
  ~RunCatalog();

  const std::filesystem::path& folder() const { return folder_; }
  const std::optional<std::string>& only() const { return only_; }

  // The run of that id. An id is compared with the names in the folder, never made a path of.
  std::optional<std::filesystem::path> Find(const std::string& id) const;
  // {folder, runs[]} of docs/reference/http.md. A run whose report is not made within `wait` is
  // listed with the verdict and the steps that were known of it before, and as pending.
  Result<std::string> ListJson(const CostRequest& cost, std::chrono::milliseconds wait = kListWait);
  // Another when runs came or went, when a run.json or a report was written, and when rows that
  // were listed as pending are made: all of them, or some for some seconds. What a run adds while
  // it goes on it does not tell.
  uint64_t Stamp();

 private:
  // What only a run's report tells.
  struct RunFigures {
    int64_t nodes = 1;
    std::optional<int64_t> steps;
    std::optional<int64_t> duration_ns;
    std::string verdict = "null";  // JSON
  };
  struct Known {
    uint64_t stamp = 0;
    bool failed = false;  // when it was made last: it is not called pending, but tried again
    RunFigures figures;
  };
  struct QueuedRun {
    store::RunSummary run;
    uint64_t stamp = 0;
  };

  RunFigures Read(const std::filesystem::path& run) const;
  // With `mutex_` held.
  void Enqueue(const store::RunSummary& run, uint64_t stamp);
  void StartMaker();
  bool Pending(const store::RunSummary& run, uint64_t stamp) const;
  std::string RowOf(const store::RunSummary& run, const CostRequest& cost, uint64_t stamp) const;
  void NoteMade(const QueuedRun& wanted, std::optional<RunFigures> figures);

  void MakeRows(const std::stop_token& stop);
  // Nothing: there was no memory for it, above all.
  std::optional<RunFigures> TryRead(const std::filesystem::path& run) const;

  std::filesystem::path folder_;
  std::optional<std::string> only_;
  TakeMemory take_memory_;
  MakeReport make_report_;
  std::chrono::milliseconds most_unreported_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Known> known_;  // by id
  std::deque<QueuedRun> wanted_;        // the first is being made
  uint64_t tellings_ = 0;               // of rows that were made
  bool unreported_ = false;             // some were made since
  std::chrono::steady_clock::time_point reported_at_;
  std::jthread maker_;
};

// How a run goes on: the answer of `/api/runs/{run}/events`.
struct RunProgress {
  std::string status;
  int64_t steps = 0;
  int64_t to_ns = 0;
  uint64_t stamp = 0;  // differs whenever rows were added
};
Result<uint64_t> ProgressStamp(const std::filesystem::path& run);
// Steps and time are left out when the stamp is the one that is known.
Result<RunProgress> ProgressOf(const std::filesystem::path& run, uint64_t known_stamp = 0);

}  // namespace steptrace::rpc
