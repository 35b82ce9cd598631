// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/shown_ranks.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "analyze/json/json_parts.h"

namespace steptrace::analyze {
namespace {

// Sections with lists that hold rows of each rank or machine. Processes' memory is bounded by what
// grows most, whoever's it is.
constexpr std::string_view kOfRanks[] = {
    "breakdown", "data_pipeline",   "roles",  "devices", "device_phases", "operators",
    "kernels",   "operator_totals", "memory", "modules", "distributed",   "system"};

// What a loader told of itself, whatever words it has.
constexpr std::string_view kForeign = "fact";

bool IsNumber(const Json& row, const char* name) {
  const auto found = row.find(name);
  return found != row.end() && found->is_number_integer();
}

std::set<int64_t> RanksOf(const Json& rows) {
  std::set<int64_t> ranks;
  for (const Json& row : rows) {
    if (IsNumber(row, "rank")) ranks.insert(row["rank"].get<int64_t>());
  }
  return ranks;
}

// A figure of all ranks that tell it.
Json SpreadOf(const char* name, std::vector<std::pair<int64_t, int64_t>> reported) {
  std::sort(reported.begin(), reported.end());
  const auto& [least, first] = reported.front();
  const auto& [most, last] = reported.back();
  return {{"name", name},
          {"ranks", reported.size()},
          {"min", least},
          {"min_rank", first},
          {"p50", reported[(reported.size() - 1) / 2].first},
          {"max", most},
          {"max_rank", last}};
}

Json SpreadsOf(const Json& ranks) {
  Json spreads = Json::array();
  for (const char* name : {"mean_step_ns", "total_ns", "computation_ns", "overlap_ns", "exposed_ns",
                           "transfer_ns", "wait_ns", "caused_wait_ns"}) {
    std::vector<std::pair<int64_t, int64_t>> reported;
    for (const Json& row : ranks) {
      if (IsNumber(row, name)) reported.emplace_back(row[name], row["rank"]);
    }
    if (!reported.empty()) spreads.push_back(SpreadOf(name, std::move(reported)));
  }
  return spreads;
}

}  // namespace

ShownRanks::ShownRanks(Json& report) {
  Json& distributed = report["distributed"];
  distributed["spread"] = SpreadsOf(distributed["ranks"]);
  std::set<int64_t> all;
  for (const char* name : {"breakdown", "devices", "operator_totals", "device_phases"}) {
    all.merge(RanksOf(report[name]));
  }
  all.merge(RanksOf(distributed["ranks"]));
  hides_ = all.size() > kMost || report["run"].value("nodes", int64_t{1}) > nodes_;
  if (all.size() <= kMost) return;
  for (const Json& row : distributed["blame"]) {
    if (ranks_.size() < kMost / 2) ranks_.insert(row["rank"].get<int64_t>());
  }
  for (const int64_t rank : all) {
    if (ranks_.size() < kMost) ranks_.insert(rank);
  }
}

bool ShownRanks::IsShown(const Json& row) const {
  if (!row.is_object()) return true;
  if (IsNumber(row, "rank")) return ranks_.empty() || ranks_.contains(row["rank"].get<int64_t>());
  return !IsNumber(row, "node") || row["node"].get<int64_t>() < nodes_;
}

bool ShownRanks::KeepIn(Json& value) const {
  bool cut = false;
  if (value.is_array()) {
    if (value.empty() || !value.front().is_object()) return false;
    cut = std::erase_if(value.get_ref<Json::array_t&>(),
                        [this](const Json& row) { return !IsShown(row); }) > 0;
  }
  if (!value.is_structured()) return cut;
  for (auto& [name, part] : value.items()) {
    if (name != kForeign) cut = KeepIn(part) || cut;
  }
  return cut;
}

bool ShownRanks::Keep(std::string_view section, Json& rows) const {
  if (!hides_) return false;
  const bool of_ranks = std::ranges::find(kOfRanks, section) != std::end(kOfRanks);
  return of_ranks && KeepIn(rows);
}

}  // namespace steptrace::analyze
