// SPDX-License-Identifier: Apache-2.0
#include "store/merged_identity.h"

#include <set>

namespace steptrace::store {
namespace {

template <class T>
std::optional<T> Agreed(const std::vector<RunIdentity>& parts,
                        std::optional<T> RunIdentity::*field) {
  std::optional<T> agreed;
  for (const RunIdentity& part : parts) {
    const std::optional<T>& reported = part.*field;
    if (!reported) continue;
    if (agreed && agreed != reported) return std::nullopt;
    agreed = reported;
  }
  return agreed;
}

std::map<std::string, std::string> AgreedTags(const std::vector<RunIdentity>& parts) {
  std::map<std::string, std::string> tags;
  std::set<std::string> differ;
  for (const RunIdentity& part : parts) {
    for (const auto& [tag, value] : part.tags) {
      if (tags.emplace(tag, value).first->second != value) differ.insert(tag);
    }
  }
  for (const std::string& tag : differ) tags.erase(tag);
  return tags;
}

}  // namespace

RunIdentity MergedIdentity(const std::vector<RunIdentity>& parts) {
  RunIdentity merged;
  merged.job_id = Agreed(parts, &RunIdentity::job_id);
  merged.attempt = Agreed(parts, &RunIdentity::attempt);
  merged.topology = Agreed(parts, &RunIdentity::topology);
  merged.git_commit = Agreed(parts, &RunIdentity::git_commit);
  merged.tags = AgreedTags(parts);
  return merged;
}

}  // namespace steptrace::store
