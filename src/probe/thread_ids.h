// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Which thread of this process CUPTI means. It numbers one by the lower half of its pthread_self():
// the upper half is searched where the process has memory, and believed only where a thread's own
// structure lies, which holds its address and its id. One thread at a time.
namespace steptrace::probe {

class ThreadIds {
 public:
  // Learns, from the calling thread, where a thread keeps its address and its id.
  void Learn();

  // The system's id of the thread; 0: none was found, as of one that has ended.
  int32_t Of(uint32_t lower_half) const;

 private:
  int32_t At(uint64_t address) const;

  int32_t self_offset_ = 0;
  int32_t id_offset_ = 0;  // 0: unknown
};

}  // namespace steptrace::probe
