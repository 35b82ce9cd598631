// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace steptrace::agent {

struct LimiterOptions {
  int64_t interval_ns = 500'000'000;  // of sampling, as asked for
  double cpu_budget_cores = 0.03;     // see DefaultCpuBudgetCores
  int64_t memory_base_bytes = int64_t{64} << 20;
  int64_t memory_per_rank_bytes = int64_t{1} << 20;
};

// 1 % of the node's cores: what a training that fills them may lose at most. On nodes of one or two
// cores that would be less than draining a busy ring takes for a moment, so 3 % of a core is
// always allowed.
double DefaultCpuBudgetCores(int cores);

enum class LimiterEventKind {
  kSlowed,      // over the CPU budget: the sampling interval is doubled
  kRestored,    // well under it again: the interval is halved
  kAnew,        // what it watches has begun: the interval is the one asked for
  kMemoryOver,  // over the memory limit: shed what can be shed; repeated while it lasts
  kMemoryOk,
};

struct LimiterEvent {
  LimiterEventKind kind{};
  int64_t at_ns = 0;
  int64_t interval_ns = 0;  // from now on
  double cpu_cores = 0;     // the mean over the window
  double cpu_budget = 0;    // the mean of what was allowed in it
  int64_t rss_bytes = 0;
  int64_t rss_limit_bytes = 0;
};

// Keeps the agent within its budget of CPU and memory. Passive: takes readings of its own cost and
// says what to do; reads no clock, sleeps nowhere. One thread.
//
//              mean of 10 s over the budget            … and again
//     Normal ────────────────────────────▶ Slowed ──────────────────▶ Slowed (interval doubled
//       ▲                                   │  ▲                          until it is 60 s)
//       │  interval is the one asked for    │  │                           │
//       └───────────────────────────────────┘  └───────────────────────────┘
//              mean of 30 s under half the budget: the interval is halved
//
//     Fits ── RSS over the limit ──▶ Over ── RSS under 90 % of it ──▶ Fits
//                                    │  ▲
//                                    └──┘ each 10 s: shed more
//
// Half the budget, since halving the interval may double the cost: it must then still fit.
class AgentLimiter {
 public:
  using OnEvent = std::function<void(const LimiterEvent&)>;

  AgentLimiter(LimiterOptions options, OnEvent on_event);

  // To be called at least once a second with the totals so far.
  void Observe(int64_t now_ns, int64_t cpu_ns, int64_t rss_bytes);
  void SetRanks(int ranks) { ranks_ = ranks; }
  // Of what it holds so much is the GPU driver's library, which the limit is not for.
  void SetDriverBytes(int64_t bytes) { driver_bytes_ = bytes; }
  // Of the time since the last reading, and on: what was used before is measured by what was
  // allowed then.
  void SetCpuBudget(double cores) { options_.cpu_budget_cores = cores; }
  // What was used before says nothing of what comes, for what it watches has begun: the interval is
  // the one asked for, and is measured from here on.
  void StartAnew(int64_t now_ns);

  int64_t interval_ns() const { return interval_ns_; }
  // How often the interval was doubled; the owner may slow other work by the same measure.
  int level() const { return level_; }
  bool memory_over() const { return memory_over_since_ns_.has_value(); }
  int64_t memory_limit_bytes() const {
    return options_.memory_base_bytes + ranks_ * options_.memory_per_rank_bytes + driver_bytes_;
  }

 private:
  struct Reading {
    int64_t at_ns = 0;
    int64_t cpu_ns = 0;
    double allowed_ns = 0;  // the budget, summed up over time
  };
  struct Use {
    double cores = 0;
    double allowed = 0;
  };

  static Use UseBetween(const Reading& begin, const Reading& end);
  void ObserveCpu(const Reading& reading);
  void ObserveMemory(int64_t now_ns, int64_t rss_bytes);
  void ChangeInterval(LimiterEventKind kind, const Reading& reading, const Use& use);
  int64_t IntervalAt(int level) const;

  LimiterOptions options_;
  OnEvent on_event_;
  int ranks_ = 0;
  int64_t driver_bytes_ = 0;
  int level_ = 0;
  int64_t interval_ns_ = 0;
  double allowed_ns_ = 0;                // so far
  std::optional<int64_t> last_ns_;       // of the last reading
  std::optional<Reading> window_begin_;  // of the window that looks for too much
  std::optional<Reading> calm_begin_;    // of the window that looks for little
  std::optional<int64_t> memory_over_since_ns_;
};

}  // namespace steptrace::agent
