// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace steptrace::agent {

// Whether files that git tracks have changes that are not committed, as the run begins. Git itself
// is asked, for it alone knows, in a process of low priority and within a time limit. It is told to
// run nothing that the repository's settings name (hooks, a file-system monitor, transports), to
// take no lock and to write nothing; a repository whose settings name programs that filter files is
// not asked about. One thread.
//
//   reading the settings ─► comparing ─► answered
class GitChanges {
 public:
  struct Answer {
    std::optional<bool> changed;  // nullopt: not known
    std::string reason;           // why not
  };

  // `folder`: absolute, in the repository. `now_ns`: of a monotonic clock.
  GitChanges(std::filesystem::path folder, int64_t now_ns);
  ~GitChanges();
  GitChanges(const GitChanges&) = delete;
  GitChanges& operator=(const GitChanges&) = delete;

  // The answer, once, as soon as there is one. Does not wait.
  std::optional<Answer> Take(int64_t now_ns);
  // The same, but waits for it a little while: nobody trains any more.
  std::optional<Answer> Finish();
  // Whether there is nothing more to take: no answer, and no process that has to be waited for.
  bool IsOver() const { return state_ == State::kTaken && killed_ == 0; }

 private:
  enum class State : uint8_t { kSettings, kComparing, kAnswered, kTaken };

  void Start(State state, std::vector<std::string> arguments);
  void Poll(int64_t now_ns);
  void OnEnd(int exit_code);
  void SetAnswer(std::optional<bool> changed, std::string reason);
  void End();
  void WaitForKilled();

  std::filesystem::path folder_;
  std::string git_;  // the program
  int64_t until_ns_ = 0;
  State state_ = State::kAnswered;
  pid_t process_ = 0;
  pid_t killed_ = 0;  // and has yet to end
  UniqueFd output_;
  std::string text_;
  Answer answer_;
};

}  // namespace steptrace::agent
