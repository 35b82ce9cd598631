// SPDX-License-Identifier: Apache-2.0
#include "agent/run/run_manifest.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "agent/run/git_commit.h"
#include "agent/run/run_identity.h"
#include "base/time.h"
#include "base/utf8.h"

#ifndef STEPTRACE_VERSION
#define STEPTRACE_VERSION "0"
#endif

namespace steptrace::agent {
namespace {

constexpr int kEpochTries = 5;

// The same moment by both clocks, as close as a few tries allow.
void SetEpoch(store::Manifest& manifest, int64_t* uncertainty_ns) {
  int64_t best_width = INT64_MAX;
  for (int i = 0; i < kEpochTries; ++i) {
    const int64_t before = MonotonicNowNs();
    const int64_t utc = UtcNowNs();
    const int64_t width = MonotonicNowNs() - before;
    if (width >= best_width) continue;
    best_width = width;
    manifest.epoch_monotonic_ns = before + width / 2;
    manifest.epoch_utc_ns = utc;
  }
  *uncertainty_ns = best_width / 2 + 1;
}

store::NodeInfo ThisNode() {
  store::NodeInfo node;
  utsname names{};
  if (uname(&names) == 0) {
    node.host = CleanUtf8(names.nodename);
    node.kernel = CleanUtf8(names.release);
  }
  node.cpus = static_cast<int32_t>(sysconf(_SC_NPROCESSORS_ONLN));
  node.memory_bytes =
      static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  std::ifstream boot_id("/proc/sys/kernel/random/boot_id");
  std::getline(boot_id, node.boot_id);
  return node;
}

}  // namespace

store::Manifest NewManifest(const AgentOptions& options) {
  store::Manifest manifest;
  manifest.id = options.run_id;
  manifest.name = CleanUtf8(options.run_name);
  for (const std::string& word : options.command) manifest.command.push_back(CleanUtf8(word));
  manifest.steptrace_version = STEPTRACE_VERSION;
  manifest.writer_pid = getpid();
  manifest.identity = IdentityFrom(std::getenv);
  manifest.identity.git_commit = GitCommitAt(ScriptFolder(options.command));
  for (const auto& [tag, value] : options.tags) {
    manifest.identity.tags[CleanUtf8(tag)] = CleanUtf8(value);
  }
  manifest.nodes.push_back(ThisNode());
  SetEpoch(manifest, &manifest.nodes[0].clock.uncertainty_ns);
  const ClockAnchor anchor = ReadClockAnchor();
  manifest.nodes[0].clock.source = "monotonic";
  manifest.nodes[0].clock.monotonic_ns = anchor.monotonic_ns;
  manifest.nodes[0].clock.tsc = anchor.tsc;
  return manifest;
}

void FinishManifest(store::Manifest& manifest, const RunEnd& end, int64_t end_ns,
                    const ClockCalibration& calibration) {
  manifest.status = end.status;
  manifest.exit_code = end.exit_code;
  manifest.signal = end.signal;
  manifest.end_ns = end_ns;
  store::ClockInfo& clock = manifest.nodes[0].clock;
  clock.ticks_per_ns = static_cast<double>(calibration.TicksPerSecond()) / 1e9;
  if (calibration.used()) clock.source = "tsc";
}

}  // namespace steptrace::agent
