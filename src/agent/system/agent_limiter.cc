// SPDX-License-Identifier: Apache-2.0
#include "agent/system/agent_limiter.h"

#include <algorithm>
#include <utility>

#include "base/time.h"

namespace steptrace::agent {
namespace {

constexpr int64_t kBusyWindowNs = 10 * kNsPerSecond;
constexpr int64_t kCalmWindowNs = 30 * kNsPerSecond;
constexpr int64_t kLongestIntervalNs = 60 * kNsPerSecond;
constexpr int64_t kShedAgainNs = 10 * kNsPerSecond;
constexpr double kCalmShare = 0.5;
constexpr double kMemoryOkShare = 0.9;

}  // namespace

double DefaultCpuBudgetCores(int cores) {
  constexpr double kShareOfNode = 0.01;
  constexpr double kAlwaysAllowed = 0.03;
  return std::max(kShareOfNode * std::max(cores, 1), kAlwaysAllowed);
}

AgentLimiter::AgentLimiter(LimiterOptions options, OnEvent on_event)
    : options_(options), on_event_(std::move(on_event)), interval_ns_(options.interval_ns) {}

int64_t AgentLimiter::IntervalAt(int level) const {
  int64_t interval_ns = options_.interval_ns;
  for (int doubled = 0; doubled < level && interval_ns < kLongestIntervalNs; ++doubled) {
    interval_ns *= 2;
  }
  return std::clamp(interval_ns, int64_t{1}, std::max(kLongestIntervalNs, options_.interval_ns));
}

// In cores, with what was allowed in the same time.
AgentLimiter::Use AgentLimiter::UseBetween(const Reading& begin, const Reading& end) {
  const double ns = static_cast<double>(end.at_ns - begin.at_ns);
  return {.cores = static_cast<double>(end.cpu_ns - begin.cpu_ns) / ns,
          .allowed = (end.allowed_ns - begin.allowed_ns) / ns};
}

void AgentLimiter::ChangeInterval(LimiterEventKind kind, const Reading& reading, const Use& use) {
  const bool slowed = kind == LimiterEventKind::kSlowed;
  level_ += slowed ? 1 : -1;
  interval_ns_ = IntervalAt(level_);
  on_event_({.kind = kind,
             .at_ns = reading.at_ns,
             .interval_ns = interval_ns_,
             .cpu_cores = use.cores,
             .cpu_budget = use.allowed});
}

void AgentLimiter::ObserveCpu(const Reading& reading) {
  const auto restart_if_back = [&](std::optional<Reading>& begin) {
    const bool usable = begin && reading.at_ns >= begin->at_ns && reading.cpu_ns >= begin->cpu_ns;
    if (!usable) begin = reading;
  };
  restart_if_back(window_begin_);
  restart_if_back(calm_begin_);
  if (reading.at_ns - window_begin_->at_ns >= kBusyWindowNs) {
    const Use use = UseBetween(*window_begin_, reading);
    window_begin_ = reading;
    if (use.cores > use.allowed) {
      calm_begin_ = reading;
      if (IntervalAt(level_ + 1) > interval_ns_) {
        ChangeInterval(LimiterEventKind::kSlowed, reading, use);
      }
    }
  }
  if (reading.at_ns - calm_begin_->at_ns < kCalmWindowNs) return;
  const Use use = UseBetween(*calm_begin_, reading);
  calm_begin_ = reading;
  if (level_ > 0 && use.cores < kCalmShare * use.allowed) {
    ChangeInterval(LimiterEventKind::kRestored, reading, use);
  }
}

void AgentLimiter::StartAnew(int64_t now_ns) {
  window_begin_.reset();
  calm_begin_.reset();
  if (std::exchange(level_, 0) == 0) return;
  interval_ns_ = IntervalAt(0);
  on_event_({.kind = LimiterEventKind::kAnew, .at_ns = now_ns, .interval_ns = interval_ns_});
}

void AgentLimiter::ObserveMemory(int64_t now_ns, int64_t rss_bytes) {
  const int64_t limit_bytes = memory_limit_bytes();
  const auto tell = [&](LimiterEventKind kind) {
    on_event_({.kind = kind,
               .at_ns = now_ns,
               .interval_ns = interval_ns_,
               .rss_bytes = rss_bytes,
               .rss_limit_bytes = limit_bytes});
  };
  if (rss_bytes > limit_bytes) {
    const bool due = !memory_over_since_ns_ || now_ns < *memory_over_since_ns_ ||
                     now_ns - *memory_over_since_ns_ >= kShedAgainNs;
    if (!due) return;
    memory_over_since_ns_ = now_ns;
    tell(LimiterEventKind::kMemoryOver);
  } else if (memory_over_since_ns_ &&
             static_cast<double>(rss_bytes) < kMemoryOkShare * static_cast<double>(limit_bytes)) {
    memory_over_since_ns_.reset();
    tell(LimiterEventKind::kMemoryOk);
  }
}

void AgentLimiter::Observe(int64_t now_ns, int64_t cpu_ns, int64_t rss_bytes) {
  const int64_t since_ns = now_ns - std::exchange(last_ns_, now_ns).value_or(now_ns);
  allowed_ns_ += options_.cpu_budget_cores * static_cast<double>(std::max<int64_t>(since_ns, 0));
  ObserveCpu({.at_ns = now_ns, .cpu_ns = cpu_ns, .allowed_ns = allowed_ns_});
  ObserveMemory(now_ns, rss_bytes);
}

}  // namespace steptrace::agent
