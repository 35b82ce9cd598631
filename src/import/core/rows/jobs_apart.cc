// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/jobs_apart.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/time.h"

namespace steptrace::import {
namespace {

constexpr int64_t kTimesApartNs = kNsPerHour;
constexpr size_t kMostNamedJobs = 3;

// What a part tells of its job; empty and -1: it does not.
struct JobKey {
  std::string name;
  int32_t world_size = -1;
  int64_t recording = -1;  // those at one time, in their order

  bool operator<(const JobKey& other) const {
    return std::tie(recording, name, world_size) <
           std::tie(other.recording, other.name, other.world_size);
  }
};

struct OneJob {
  std::set<std::string> files;
  std::optional<int64_t> first_utc_ns;
};

std::string DateOf(int64_t utc_ns) {
  const std::time_t seconds = utc_ns / kNsPerSecond;
  std::tm utc{};
  char text[32];
  if (::gmtime_r(&seconds, &utc) == nullptr) return "";
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &utc)};
}

// None: it has no date, or one at which nobody trained.
std::optional<int64_t> FirstUtcNs(const Part& part) {
  const auto& offset_ns = part.facts.utc_offset_ns;
  if (!offset_ns || !IsDate(part.bounds, *offset_ns)) return std::nullopt;
  return part.bounds.first_ns + *offset_ns;
}

std::vector<const Part*> Profiles(std::span<Part* const> parts) {
  std::vector<const Part*> profiles;
  for (const Part* part : parts) {
    if (part->facts.is_profile && !part->left_out && !part->bounds.empty()) {
      profiles.push_back(part);
    }
  }
  return profiles;
}

// Of those whose date is known, the number of the recording that each belongs to.
std::map<const Part*, int64_t> Recordings(const std::vector<const Part*>& profiles) {
  std::vector<std::pair<int64_t, const Part*>> dated;
  for (const Part* part : profiles) {
    if (const auto first_ns = FirstUtcNs(*part)) dated.emplace_back(*first_ns, part);
  }
  std::sort(dated.begin(), dated.end());
  std::map<const Part*, int64_t> recordings;
  int64_t number = 0;
  int64_t last_ns = 0;
  for (const auto& [first_ns, part] : dated) {
    const int64_t end_ns = first_ns + (part->bounds.last_ns - part->bounds.first_ns);
    const bool is_first = recordings.empty();
    if (!is_first && first_ns - last_ns > kTimesApartNs) ++number;
    last_ns = is_first ? end_ns : std::max(last_ns, end_ns);
    recordings[part] = number;
  }
  return recordings;
}

std::string Named(const JobKey& key, const OneJob& job) {
  std::string text = *job.files.begin();
  if (job.files.size() > 1) text += fmt::format(" and {} more", job.files.size() - 1);
  std::string reported;
  const auto add = [&reported](const std::string& what) {
    reported += (reported.empty() ? "" : ", ") + what;
  };
  if (!key.name.empty()) add(key.name);
  if (key.world_size > 0) {
    add(fmt::format("{} rank{}", key.world_size, key.world_size == 1 ? "" : "s"));
  }
  if (job.first_utc_ns) add(DateOf(*job.first_utc_ns));
  return reported.empty() ? text : fmt::format("{} ({})", text, reported);
}

Error OfSeveralJobs(const std::map<JobKey, OneJob>& jobs) {
  std::string list;
  size_t named = 0;
  for (const auto& [key, job] : jobs) {
    if (named++ == kMostNamedJobs) {
      list += ", ...";
      break;
    }
    list += (list.empty() ? "" : ", ") + Named(key, job);
  }
  return {fmt::format("profiles of {} jobs or recordings, which tell nothing of one another: {}",
                      jobs.size(), list),
          "import the files of one: name them, or put them into a folder of their own"};
}

// One job that was recorded several times: whoever was recorded later was recorded at first, too.
bool IsOneJobAgain(const std::map<const Part*, int64_t>& recordings) {
  using Process = std::tuple<int32_t, std::string, int64_t>;
  std::set<Process> at_first;
  std::set<Process> later;
  for (const auto& [part, recording] : recordings) {
    const PartFacts& facts = part->facts;
    if (facts.pid == 0) return false;  // who it is nobody tells
    (recording == 0 ? at_first : later).emplace(facts.rank.value_or(-1), facts.host, facts.pid);
  }
  return std::includes(at_first.begin(), at_first.end(), later.begin(), later.end());
}

// A rank that two processes say they are is of two jobs, or of two starts of one.
Status CheckRanks(const std::vector<const Part*>& profiles) {
  std::map<int32_t, const Part*> seen;
  for (const Part* part : profiles) {
    const PartFacts& facts = part->facts;
    if (facts.world_size <= 1 || !facts.rank || *facts.rank < 0 || facts.pid == 0) continue;
    const auto [found, added] = seen.try_emplace(*facts.rank, part);
    if (added || found->second->facts.pid == facts.pid) continue;
    return Error{
        fmt::format("{}: rank {} of {} is another process in {}: of two jobs, or two "
                    "starts of one",
                    facts.source, *facts.rank, facts.world_size, found->second->facts.source),
        "import the files of one: name them, or put them into a folder of their own"};
  }
  return {};
}

}  // namespace

Status CheckOneJob(std::span<Part* const> parts) {
  const std::vector<const Part*> profiles = Profiles(parts);
  if (profiles.size() < 2) return {};
  const std::map<const Part*, int64_t> recordings = Recordings(profiles);
  std::map<JobKey, OneJob> jobs;
  std::set<std::string> names;
  std::set<int32_t> sizes;
  std::set<int64_t> times;
  for (const Part* part : profiles) {
    JobKey key{part->facts.job, part->facts.world_size, -1};
    if (const auto found = recordings.find(part); found != recordings.end()) {
      key.recording = found->second;
      times.insert(key.recording);
    }
    if (!key.name.empty()) names.insert(key.name);
    if (key.world_size > 0) sizes.insert(key.world_size);
    OneJob& job = jobs[key];
    job.files.insert(part->facts.source);
    const auto first_ns = FirstUtcNs(*part);
    if (first_ns && (!job.first_utc_ns || *first_ns < *job.first_utc_ns)) {
      job.first_utc_ns = first_ns;
    }
  }
  const bool at_other_times = times.size() > 1 && !IsOneJobAgain(recordings);
  if (names.size() > 1 || sizes.size() > 1 || at_other_times) return OfSeveralJobs(jobs);
  return CheckRanks(profiles);
}

}  // namespace steptrace::import
