// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analyze/code/stage_table.h"
#include "serve/http/answer.h"
#include "serve/http/endpoint.h"
#include "serve/http/helper.h"
#include "serve/http/parameters.h"
#include "serve/rpc/rules.h"
#include "serve/rpc/runs.h"
#include "serve/rpc/timeline.h"

namespace steptrace::http {

struct RunCaptureRequest {
  std::filesystem::path run;
  int64_t steps = 0;
  std::string kinds;     // as `steptrace capture --capture` has them
  std::stop_token gone;  // nobody waits any more
};
// The time range of the steps that were captured, and how many they are.
struct CapturedSteps {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  int64_t steps = 0;
};
using CaptureHandler = std::function<Result<CapturedSteps>(const RunCaptureRequest&)>;

struct ApiOptions {
  std::filesystem::path folder;     // of runs
  std::optional<std::string> only;  // the name of the one that is shown
  std::string version;
  std::string editor_url = "vscode://file/{file}:{line}";
  rpc::CostRequest cost;
  analyze::TensorCorePatterns tensor_cores;  // the user's own, as for `steptrace report`
  analyze::StageTable stages;                // likewise
  std::filesystem::path pages;               // the folder of the one-file report's page
  // Asks the agent of a run for a capture, and waits for it (agent/capture/capture_client.h); none:
  // none can be asked for.
  CaptureHandler capture;
  // Answers what is asked of large runs, but for their timelines; none: all is answered here.
  std::shared_ptr<Helper> helper;
};

// Answers requests under /api (docs/reference/http.md). Shared by threads; keeps the timelines of
// the runs that were looked at last.
class Api {
 public:
  explicit Api(ApiOptions options);

  Answer Handle(const Request& request);
  // Whether it may take long and much memory: a report, a table; no timeline does.
  static bool IsHeavy(const Request& request);
  // Ends what is being made by the helper.
  void Stop();

  // What a stream of events tells, or nothing when that is what it told last; `last` is the
  // stream's own state, empty at first.
  struct EventState {
    uint64_t stamp = 0;
    int64_t generation = 0;
    int64_t changed_utc_ns = 0;
    int64_t steps = 0;
    int64_t to_ns = 0;
    bool reported_stop = false;
  };
  std::optional<std::string> RunsEvent(EventState& last);
  std::optional<std::string> RunEvent(const std::string& id, EventState& last);
  bool HasRun(const std::string& id) const { return catalog_.Find(id).has_value(); }
  static Answer NoSuchRun();

 private:
  struct Kept {
    std::mutex building;
    std::shared_ptr<const rpc::RunTimeline> timeline;
    timeline::LiveRunIndex live;  // under `building`, as the times
    int64_t checked_ns = 0;
    int64_t built_ns = 0;
    int64_t cost_ns = 0;
    int64_t used_ns = 0;
  };
  using Run = std::filesystem::path;

  // What is asked of a run; `part`: the last of the path, as most have it.
  Answer ForRun(Endpoint endpoint, const Run& run, const std::string& part, Parameters& parameters);
  Answer Capture(const Run& run, Parameters& parameters, const std::stop_token& gone) const;
  Answer Html(const Run& run);
  bool IsForHelper(Endpoint endpoint, const Run& run, const std::string& part) const;
  Answer About() const;
  // The report's JSON, for the list of runs.
  Result<std::string> ReportText(const Run& run);
  Answer Report(const Run& run, Parameters& parameters);
  // The report of a run or a time range of it as it stands: kept until the run changes.
  Result<std::shared_ptr<const analyze::Report>> ReportOf(const Run& run,
                                                          std::optional<int64_t> from_ns,
                                                          std::optional<int64_t> to_ns);
  Answer Section(const Run& run, const std::string& name, Parameters& parameters);
  // A text of the report that is cut for pages, whole; `number` as its mark has it.
  Answer WholeText(const Run& run, const std::string& number);
  Answer Rules(const Run& run, Parameters& parameters);
  Answer Compare(const Run& run, const std::string& other);
  Answer Series(const Run& run, Parameters& parameters);
  Answer Timeline(Endpoint endpoint, const Run& run, const std::string& part,
                  Parameters& parameters);

  Result<std::shared_ptr<const rpc::RunTimeline>> TimelineOf(const Run& run);
  std::shared_ptr<Kept> KeptOf(const Run& run);
  void BoundMemory();
  void DropPages();  // of all timelines, under mutex_
  // For what takes memory of its own, while it is held; the timelines let go of theirs.
  std::unique_lock<std::mutex> TakeMemory();
  // What takes memory: one at a time.
  template <typename Make>
  Answer Alone(const Make& make) {
    const auto heavy = TakeMemory();
    return make();
  }

  ApiOptions options_;
  struct KeptReport {
    uint64_t stamp = 0;  // of the run when it was made
    std::shared_ptr<const analyze::Report> report;
  };
  std::mutex mutex_;                                   // of what follows
  std::map<std::string, std::shared_ptr<Kept>> kept_;  // by id
  std::map<std::string, KeptReport> reports_;          // by run and time range
  int64_t memory_checked_ns_ = 0;
  std::mutex heavy_;         // reports and tables take memory: one at a time
  rpc::RunCatalog catalog_;  // the last: its thread takes what stands above
};

}  // namespace steptrace::http
