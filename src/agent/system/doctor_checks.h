// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace steptrace::agent {

// Whether a source of system metrics can be read here, for `steptrace doctor`.
struct DoctorCheck {
  std::string source;
  bool available = false;
  std::string reason;  // why not, or what was found
  std::string remedy;  // what would make it available; empty: nothing, or nothing needs to
};

struct DoctorOptions {
  std::string proc_root = "/proc";
  std::string sys_root = "/sys";
  std::string nvml_library = "libnvidia-ml.so.1";
};

// Samples twice, as the agent would, with this process as the job, and reports on what came. Takes
// milliseconds; with GPUs that must wake up, seconds.
std::vector<DoctorCheck> DoctorChecks(const DoctorOptions& options);

}  // namespace steptrace::agent
