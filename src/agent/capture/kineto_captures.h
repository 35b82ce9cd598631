// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/capture/capture_progress.h"
#include "agent/capture/capture_schedule.h"
#include "agent/capture/kineto_endpoint.h"

namespace steptrace::agent {

// What a capture is in the words of libkineto's configuration. `start_unix_ms` 0: at once.
std::string KinetoConfig(const CaptureDemand& demand, const std::filesystem::path& log_file,
                         int64_t start_unix_ms);

// The rank in that process's environment (RANK); -1: it has none.
int32_t KinetoRankOf(int32_t pid);

// Carries captures out on processes that ask the endpoint: hands them a configuration, waits for
// the file that each then writes, and puts it where the TraceIntake takes it. One capture at a
// time, every wait bounded. One thread.
//
//   waiting ── it asks ──► tracing ── its file is whole ──► done
//      └── too long ──────────┴── too long, gone ─────────► failed, with a sentence
class KinetoCaptures {
 public:
  // `folder`: where the traces go, made here, private.
  KinetoCaptures(KinetoEndpoint endpoint, std::filesystem::path folder);
  ~KinetoCaptures();

  KinetoEndpoint& endpoint() { return endpoint_; }

  static constexpr int kBusy = -1;     // another capture goes on
  static constexpr int kTooMany = -2;  // more steps than kMostSteps
  // One's script uses PyTorch's profiler. Where that begins just as a trace from outside ends,
  // both take that trace down, and the process dies of it (PyTorch 2.13).
  static constexpr int kProfilesItself = -3;
  // A process that ends in a trace of Kineto's dies of it (PyTorch 2.13): traces are short.
  static constexpr int64_t kMostSteps = 100;
  // Of the processes of those ranks (none: all) of which `by_hooks` does not say that their hooks
  // capture. How many are asked.
  int Request(const CaptureDemand& demand, const std::set<int32_t>& ranks,
              const std::function<bool(int32_t pid)>& by_hooks, int64_t now_ns,
              int64_t unix_now_ms);
  // Who has hooks by now is not captured any more.
  void Poll(const std::function<bool(int32_t pid)>& by_hooks, int64_t now_ns);
  // Adds what this has of the demand.
  void AddProgress(uint64_t demand, CaptureProgress& progress) const;
  // Of who asked, when it has gone: with its answer or without.
  void Withdraw(uint64_t demand);
  // What has ended since the last call.
  struct Ended {
    int32_t pid = 0;
    int32_t rank = -1;
    CaptureDemand demand;
    int64_t from_ns = 0;
    int64_t to_ns = 0;
    std::string failed;  // empty: it was captured
  };
  std::vector<Ended> TakeEnded() { return std::exchange(ended_, {}); }
  // The rank of a process that was asked, also when it is gone; -1: it has none.
  int32_t RankOf(int32_t pid) const;

 private:
  struct RequestState {
    bool tracing = false;
    bool ended = false;
    std::string failed;
    int32_t rank = -1;
    int64_t until_ns = 0;  // of the state that it is in
    int64_t from_ns = 0;
    int64_t to_ns = 0;
  };
  std::string StemOf(int32_t pid) const;
  void Follow(int32_t pid, RequestState& asked, int64_t now_ns);
  bool TakeFile(int32_t pid, RequestState& asked);
  void RemoveOwn();

  KinetoEndpoint endpoint_;
  std::filesystem::path folder_;
  CaptureDemand demand_;  // id 0: none
  bool held_ = false;     // who asked for it has not gone: it still looks at asked_
  int64_t start_ns_ = 0;  // common to all; 0: each at once
  std::map<int32_t, RequestState> asked_;
  std::vector<Ended> ended_;
};

}  // namespace steptrace::agent
