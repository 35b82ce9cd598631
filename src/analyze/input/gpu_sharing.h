// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"
#include "store/tables.h"

namespace steptrace::analyze {

// A GPU's identity without what NVML puts before it and torch does not.
std::string_view BareUuid(std::string_view uuid);

// Who else is on the GPUs of a run: ranks of its own, and others. By facts of kind `device`, which
// ranks tell (python/steptrace/_hooks/optimizer.py), and of kind `gpu`, which agents do
// (agent/ingest/system_feed.cc).
class GpuSharing {
 public:
  void ReadDevice(const nlohmann::json& fact, const store::RunMetadataRow& row);
  void ReadGpu(const nlohmann::json& fact, const store::RunMetadataRow& row);

  // One for each GPU that this run has not for itself, as far as that is known. Where the
  // numbers of processes cannot be told apart, as in a container, it is known only that there are
  // more of them than ranks.
  std::vector<model::Finding> Others() const;
  // NVML's number of the GPU of each rank whose identity both tell.
  std::map<int32_t, int32_t> NumberOfRanks() const;
  // One for each GPU on which several ranks compute.
  std::vector<model::Finding> RanksTogether() const;

 private:
  struct Device {
    int32_t node = 0;
    std::string uuid;
    std::string name;
  };
  struct Gpu {
    std::string uuid;
    int64_t processes = 0;
    int64_t ours = 0;
    int64_t others = 0;
  };
  // How many ranks of a node there are, and by the GPU that they told.
  struct NodeRanks {
    int64_t all = 0;
    int64_t without_uuid = 0;
    std::map<std::string, int64_t> by_uuid;
  };

  std::map<int32_t, NodeRanks> RanksByNode() const;
  static std::map<int64_t, int64_t> RanksOnEach(const std::map<int64_t, Gpu>& gpus,
                                                const NodeRanks& ranks);

  std::map<int32_t, Device> devices_;               // of each rank the last one that it told
  std::map<int32_t, std::map<int64_t, Gpu>> gpus_;  // by node and NVML's number
};

}  // namespace steptrace::analyze
