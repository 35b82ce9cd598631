// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/own_threads.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/verdict/thresholds.h"

namespace steptrace::analyze {
namespace {

// Of the time: a thread that runs so much Python takes the interpreter from the training's.
constexpr double kWorthBlaming = 0.30;

// Of the time in which the job's threads want to run: with less of it without a core, those that
// are too many mostly sleep.
constexpr double kTakeTurnsShare = 0.30;

int32_t RanksOnANode(const RunInfo& run) {
  std::map<int32_t, int32_t> ranks;
  int32_t most = 1;
  for (const RankProcess& rank : run.rank_processes) most = std::max(most, ++ranks[rank.node]);
  return most;
}

}  // namespace

std::optional<OwnThreads> FindOwnThreads(const VerdictInput& input) {
  const JobFacts& facts = input.facts;
  if (!facts.intraop_threads || !facts.devices.empty()) return std::nullopt;
  OwnThreads own;
  own.threads = *facts.intraop_threads;
  own.ranks = RanksOnANode(input.report.run);
  own.cores = input.load.usable_cores();
  const double all = static_cast<double>(own.threads) * own.ranks;
  if (own.threads < 2 || all < own.cores + 1) return std::nullopt;
  const bool take_turns = input.load.throttled() || (!input.load.taken_by_others() &&
                                                     input.load.delayed_share() >= kTakeTurnsShare);
  if (!take_turns) return std::nullopt;
  own.fitting = std::max(1, static_cast<int32_t>(std::floor(own.cores / own.ranks)));
  return own.fitting < own.threads ? std::optional(own) : std::nullopt;
}

const StageFunction* ConcurrentThread(const VerdictInput& input) {
  const auto& beside = input.waits.beside;
  // Threads that make batches and wait for most of that time let go of the interpreter in it.
  if (!input.waits.awaited.empty() && input.waits.of_makers >= kMostlyWaits) return nullptr;
  return beside.empty() || beside.front().share < kWorthBlaming ? nullptr : &beside.front();
}

}  // namespace steptrace::analyze
