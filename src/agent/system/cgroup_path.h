// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steptrace::agent {

// One mounted hierarchy of cgroups, a line of /proc/self/mountinfo.
struct CgroupMount {
  std::string root;   // the cgroup that the mount shows as its top: "/" but for containers
  std::string point;  // where it is mounted
  bool v2 = false;
  std::vector<std::string> controllers;  // of v1: "cpu", "cpuacct", "memory", …
};

std::vector<CgroupMount> ParseCgroupMounts(std::string_view mountinfo);

// A line of /proc/<pid>/cgroup: "4:memory:/jobs/7", "0::/jobs/7" for v2.
struct CgroupMembership {
  std::vector<std::string> controllers;  // empty: v2
  std::string path;
};

std::vector<CgroupMembership> ParseCgroupMemberships(std::string_view text);

// Where a controller of a process is found: the folders from its own cgroup up to the top of the
// mount. Limits of every one of them hold.
struct CgroupFolders {
  bool v2 = false;
  std::vector<std::string> folders;  // innermost first, never empty
};

// The hierarchy that bears `controller` ("cpu", "cpuacct", "memory"): v1 where the process has it
// there (hybrid systems), else v2. Nothing when none is mounted.
std::optional<CgroupFolders> FindCgroup(const std::vector<CgroupMount>& mounts,
                                        const std::vector<CgroupMembership>& memberships,
                                        std::string_view controller);

// The v2 hierarchy, whatever controllers it has: pressure files stand there.
std::optional<CgroupFolders> FindUnifiedCgroup(const std::vector<CgroupMount>& mounts,
                                               const std::vector<CgroupMembership>& memberships);

}  // namespace steptrace::agent
