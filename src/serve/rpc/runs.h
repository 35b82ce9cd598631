// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "analyze/cost/cost.h"
#include "base/result.h"
#include "serve/rpc/rules.h"

namespace steptrace::rpc {

// The verdict in a few words, "data pipeline 97 %", as the report says it that the run's end left;
// empty: there is none.
std::string KeptVerdict(const std::filesystem::path& run);

// The runs that are shown: all of a folder, or one of them. Shared by threads.
class RunCatalog {
 public:
  // `only`: the name of the one folder that is shown.
  RunCatalog(std::filesystem::path folder, std::optional<std::string> only);

  const std::filesystem::path& folder() const { return folder_; }
  const std::optional<std::string>& only() const { return only_; }

  // The run of that id. An id is compared with the names in the folder, never made a path of.
  std::optional<std::filesystem::path> Find(const std::string& id) const;
  // {folder, runs[]} of docs/reference/http.md.
  Result<std::string> ListJson(const CostRequest& cost);
  // Differs whenever the list would.
  uint64_t Stamp() const;

 private:
  struct Known {
    uint64_t stamp = 0;
    std::string json;  // of the run, whole
  };

  std::filesystem::path folder_;
  std::optional<std::string> only_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;  // by id
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
