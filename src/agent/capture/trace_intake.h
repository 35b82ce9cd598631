// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace steptrace::agent {

// The folder in a run where its processes put their profiles, one file a window:
//
//   <run>/profiles/                    as the run may be read
//     <pid>-<n>.json                   whole; the agent imports it
//     <pid>-<n>.json.partial[.tmp]     being written, or left by a process that was killed
//     <pid>-<n>.run                    what the import makes of it, until it is in the run
//     kept-…, refused-…                has been taken, or could not be
inline constexpr const char* kProfilesName = "profiles";

struct TraceName {
  int32_t pid = 0;
  int32_t number = 0;
  bool partial = false;
};
std::optional<TraceName> ParseTraceName(std::string_view name);

// Takes profiles from that folder, one after another: each is read by `steptrace import`, in a
// process of its own, whose memory is not the agent's. What lies there is taken as written by an
// enemy of the same user: plain files of bounded size, no links. One thread, never blocks.
//
//   idle ── a whole file ──► importing ── the process ends ──► TakeImported() ──► Settle() ──► idle
class TraceIntake {
 public:
  // `executable`: steptrace. With `keep`, files stay beside what the run has of them.
  TraceIntake(std::filesystem::path run_dir, std::filesystem::path executable, bool keep);
  ~TraceIntake();  // kills the import that goes on
  TraceIntake(const TraceIntake&) = delete;
  TraceIntake& operator=(const TraceIntake&) = delete;

  struct Imported {
    TraceName name;
    std::filesystem::path run;  // what the import made
    std::string failed;         // why it made none
  };
  // Looks for files and at the import. `partial_too`: their processes are gone.
  void Poll(bool partial_too);
  // An import that has ended, once. Settle() must follow before the next begins.
  std::optional<Imported> TakeImported();
  // Removes what the import made, and the file (`merged`, and nobody keeps it).
  void Settle(const Imported& imported, bool merged);

  // No process is left that could put one there.
  void RemoveFolder();

  // Whether a file is being taken or waits, as of the last Turn.
  bool busy() const { return importing_.has_value() || waits_; }

 private:
  struct Importing {
    TraceName name;
    std::filesystem::path file;
    std::filesystem::path run;
    pid_t process = -1;
    std::optional<int> wait_status;
    bool taken = false;
  };
  void Check(bool partial_too);
  void Begin(const TraceName& name, const std::filesystem::path& file);

  std::filesystem::path folder_;
  std::filesystem::path executable_;
  bool keep_;
  bool waits_ = false;
  int64_t folder_changed_ns_ = 0;  // its time when nothing was left to do
  std::optional<Importing> importing_;
};

}  // namespace steptrace::agent
