// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/run_facts.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "store/metadata_json.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {

using Key = store::MetadataKey;

namespace {

constexpr size_t kMaxVersions = 64;

bool HasText(const nlohmann::json& object, store::MetadataKey key) {
  const nlohmann::json* found = store::Find(object, key);
  return found != nullptr && found->is_string();
}

// The device nodes of NVIDIA's and AMD's drivers.
bool HasAccelerator() {
  return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/kfd", F_OK) == 0;
}

}  // namespace

void RunFacts::NoteRank(const ProcessSession& session, int32_t node) {
  if (ranks_.contains(session.rank())) return;
  store::RankInfo info;
  info.rank = session.rank();
  info.node = node;
  info.local_rank = session.identity().local_rank;
  info.world_size = session.world_size();
  info.pid = session.pid();
  ranks_[info.rank] = info;
  news_ = true;
}

// {"name": …, "version": …, "cuda": … or null}
void RunFacts::Note(const std::string& kind, const std::string& text) {
  if (kind != wire::kFactFramework) return;
  const nlohmann::json json = store::ParseMetadata(text);
  const nlohmann::json* name = store::Find(json, Key::kName);
  const nlohmann::json* version = store::Find(json, Key::kVersion);
  if (name == nullptr || version == nullptr) return;
  if (!name->is_string() || !version->is_string() || versions_.size() >= kMaxVersions) return;
  if (*name == "torch" && (HasText(json, Key::kCuda) || HasText(json, Key::kHip))) {
    backward_on_host_ = !HasAccelerator();
  }
  versions_[name->get<std::string>()] = version->get<std::string>();
  news_ = true;
}

std::vector<analyze::RankProcess> RunFacts::RankProcesses() const {
  std::vector<analyze::RankProcess> ranks;
  for (const auto& [rank, info] : ranks_) ranks.push_back({rank, info.node, info.pid});
  return ranks;
}

void RunFacts::Describe(store::Manifest& manifest) const {
  manifest.ranks.clear();
  for (const auto& [rank, info] : ranks_) manifest.ranks.push_back(info);
  manifest.versions = versions_;
}

}  // namespace steptrace::agent
