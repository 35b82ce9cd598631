// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/trace/trace.h"

// The collectives of each rank as its profile tells them: what was moved, by whom, in which group.
namespace steptrace::analyze {

// What a collective is, besides when: told by the kernel's arguments, else by record_param_comms
// around its launch, else by the annotation nccl:… around it, else by the kernel's name.
struct CollectiveInfo {
  std::string name;                  // all_reduce, all_gather, …; empty: not known
  std::string reported_name;         // as the source spells it
  std::string group;                 // name of the process group; empty: not known
  std::string description;           // of the group
  std::vector<int32_t> ranks;        // of the group; empty: not known
  std::vector<int32_t> shown_ranks;  // of a list that was shortened: those before the "..."
  int64_t group_size = kNone;
  std::string dtype;
  int64_t element_bytes = kNone;
  int64_t in_elements = kNone;
  int64_t out_elements = kNone;
  int64_t source = kNone;      // of a recv
  int64_t target = kNone;      // of a send
  int64_t rank_bytes = kNone;  // what one rank gives, where elements are not reported

  // The whole message: what the larger side holds. kNone: not known.
  int64_t bytes() const;
};

// One rank's part in a collective.
struct CollectiveCall {
  int32_t rank = 0;   // index in Trace::ranks
  int32_t event = 0;  // index in RankTrace::device
  int32_t info = 0;   // index in Collectives::infos
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t sequence = kNone;
  int64_t stream = kNone;
  int32_t step = kNone;

  int64_t dur_ns() const { return end_ns - begin_ns; }
};

struct Collectives {
  std::vector<CollectiveInfo> infos;
  std::vector<int32_t> rank_numbers;                 // by index of the rank
  std::vector<std::vector<CollectiveCall>> of_rank;  // by index of the rank; by begin

  const CollectiveInfo& info(const CollectiveCall& call) const {
    return infos[static_cast<size_t>(call.info)];
  }
};

Collectives ReadCollectives(const Trace& trace);

// One name for the spellings of a collective: _allgather_base, ncclDevKernel_AllGather_RING_LL,
// nccl:all_gather are all_gather. Empty: not known.
std::string CanonicalCollective(std::string_view spelled);

// Bytes of an element by PyTorch's name of the type; kNone: not known.
int64_t ElementBytes(std::string_view dtype);

// n of n ranks: what a bus moves more than the algorithm (NVIDIA nccl-tests, doc/PERFORMANCE.md;
// nccl-tests, PERFORMANCE.md). 0: no bandwidth is defined for it.
double BusFactor(std::string_view name, int64_t ranks);

}  // namespace steptrace::analyze
