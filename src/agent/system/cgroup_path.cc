// SPDX-License-Identifier: Apache-2.0
#include "agent/system/cgroup_path.h"

#include <algorithm>

#include "agent/system/kernel_text.h"

namespace steptrace::agent {
namespace {

constexpr size_t kMaxLines = 4096;
constexpr size_t kMaxDepth = 64;

std::vector<std::string> SplitCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty() && parts.size() < kMaxLines) {
    const size_t end = text.find(',');
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

// mountinfo writes blank, tab, newline and backslash as \ooo.
std::string Unescape(std::string_view text) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) &&
        octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool Has(const std::vector<std::string>& controllers, std::string_view wanted) {
  return std::find(controllers.begin(), controllers.end(), wanted) != controllers.end();
}

bool IsUnder(std::string_view path, std::string_view root) {
  if (root == "/") return true;
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

// The folders of `path` under `mount`, innermost first. A path outside what the mount shows (a
// container whose cgroup namespace hides the rest) leaves the mount's own top.
CgroupFolders FoldersOf(const CgroupMount& mount, std::string_view path) {
  CgroupFolders found{.v2 = mount.v2, .folders = {}};
  std::string_view below;
  if (IsUnder(path, mount.root) && path.find("/..") == std::string_view::npos) {
    below = mount.root == "/" ? path : path.substr(mount.root.size());
  }
  while (!below.empty() && below != "/" && found.folders.size() < kMaxDepth) {
    found.folders.push_back(mount.point + std::string(below));
    below = below.substr(0, below.rfind('/'));
  }
  found.folders.push_back(mount.point);
  return found;
}

// id parent major:minor root point options optional… - type source super-options
std::optional<CgroupMount> MountOf(std::string_view line) {
  for (int skipped = 0; skipped < 3; ++skipped) TakeWord(line);
  CgroupMount mount;
  mount.root = Unescape(TakeWord(line));
  mount.point = Unescape(TakeWord(line));
  while (!line.empty() && TakeWord(line) != "-") {
  }
  const std::string_view type = TakeWord(line);
  TakeWord(line);
  if (mount.root.empty() || mount.point.empty()) return std::nullopt;
  if (type != "cgroup" && type != "cgroup2") return std::nullopt;
  mount.v2 = type == "cgroup2";
  if (!mount.v2) mount.controllers = SplitCommas(TakeWord(line));
  return mount;
}

}  // namespace

std::vector<CgroupMount> ParseCgroupMounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  while (!mountinfo.empty() && mounts.size() < kMaxLines) {
    if (auto mount = MountOf(TakeLine(mountinfo))) mounts.push_back(*std::move(mount));
  }
  return mounts;
}

std::vector<CgroupMembership> ParseCgroupMemberships(std::string_view text) {
  std::vector<CgroupMembership> memberships;
  while (!text.empty() && memberships.size() < kMaxLines) {
    const std::string_view line = TakeLine(text);
    const size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos || second + 1 >= line.size()) continue;
    if (line[second + 1] != '/') continue;
    memberships.push_back({SplitCommas(line.substr(first + 1, second - first - 1)),
                           std::string(line.substr(second + 1))});
  }
  return memberships;
}

std::optional<CgroupFolders> FindCgroup(const std::vector<CgroupMount>& mounts,
                                        const std::vector<CgroupMembership>& memberships,
                                        std::string_view controller) {
  for (const CgroupMembership& membership : memberships) {
    if (!Has(membership.controllers, controller)) continue;
    for (const CgroupMount& mount : mounts) {
      if (!mount.v2 && Has(mount.controllers, controller)) return FoldersOf(mount, membership.path);
    }
  }
  return FindUnifiedCgroup(mounts, memberships);
}

std::optional<CgroupFolders> FindUnifiedCgroup(const std::vector<CgroupMount>& mounts,
                                               const std::vector<CgroupMembership>& memberships) {
  for (const CgroupMembership& membership : memberships) {
    if (!membership.controllers.empty()) continue;
    for (const CgroupMount& mount : mounts) {
      if (mount.v2) return FoldersOf(mount, membership.path);
    }
  }
  return std::nullopt;
}

}  // namespace steptrace::agent
