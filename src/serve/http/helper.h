// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "serve/http/answer.h"

namespace steptrace::http {

inline constexpr int kHelperFile = 3;

struct HelperOptions {
  std::vector<std::string> command;    // the executable's path and its arguments
  std::vector<std::string> variables;  // NAME=value, over those of this process
  UniqueFd file;                       // if any: what the process finds open as kHelperFile
  // Where an answer lies that is too large to be held: a file without a name.
  std::filesystem::path folder;
  std::chrono::milliseconds answer_time{600'000};
  std::chrono::milliseconds abandoned_time{2'000};  // for one that nobody waits for any more
  uint64_t answer_bytes = uint64_t{1} << 30;
  size_t waiting = 16;  // requests besides the one that is being answered
};

// Answers what takes much memory in a process of its own, one request after the other, so that the
// memory goes with the process. It is started by the first request, keeps what it made for the next
// ones, and ends by itself when none came for a while (helper_main.h). A process that fails, takes
// too long, tells too much or what is no answer is ended; the next request starts another.
//
//   request ──► one line, its target ──► {"status": 200, "type": …, "bytes": n} and n bytes
//
// For threads.
class Helper {
 public:
  explicit Helper(HelperOptions options);
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  Answer Forward(const Request& request);
  // Ends the process and whatever waits for it, for good.
  void Stop();
  // Of the process that there is; 0: none.
  pid_t pid() const { return pid_; }
  // Requests besides the one that is being answered.
  size_t waiting() const { return waiting_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Wait {
    const Request& request;
    Clock::time_point until;
    std::optional<Clock::time_point> abandoned_at;
  };
  enum class ReadResult { kSome, kEnd, kTooLate, kAbandoned };

  bool Acquire(const Request& request);
  bool IsWanted(const Request& request);
  void Release();
  // What follows: by whose turn it is.
  Answer ForwardNow(const Request& request);
  Status Start();
  Answer Exchange(const Request& request, bool* unread);
  Answer TakeBody(Wait& wait, Answer answer, uint64_t bytes, std::string begun);
  // More of the answer, at most so much of it.
  ReadResult ReadSome(Wait& wait, size_t most, std::string* into);
  Answer Failed(ReadResult read_result, bool* unread);
  Answer EndFor(const std::string& what, const char* next_step);
  // How the process ended by itself, in a few words; empty: it had to be ended.
  std::string End(bool is_gone = false);

  const HelperOptions options_;
  std::mutex mutex_;  // of `taken_` and `wanted_`
  std::condition_variable free_;
  bool taken_ = false;
  std::multiset<std::string> wanted_;  // the runs of those that wait
  UniqueFd socket_;                    // of whose turn it is
  std::atomic<pid_t> pid_{0};
  std::atomic<size_t> waiting_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace steptrace::http
