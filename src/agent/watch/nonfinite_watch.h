// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agent/watch/observer.h"
#include "store/string_table.h"

namespace steptrace::agent {

// Says which tensor was the first that was not finite, of all ranks of the node: the earliest step
// decides, and within one the order in which a step computes them. The loss comes of the forward
// pass, a gradient of the backward pass, which begins at the last parameter, a weight of the
// optimizer.
//
// What belongs to one step comes in pieces: it waits until nothing has come for a while. Told once:
// whatever comes later follows from it.
class NonfiniteWatch : public Observer {
 public:
  explicit NonfiniteWatch(const store::StringTable& strings) : strings_(strings) {}

  void OnTensors(const EventSource& source, std::span<const ToldTensor> tensors) override;
  std::vector<Alert> Look(Moment moment, int64_t now_ns, const Job& job) override;

 private:
  struct Seen {
    int32_t rank = -1;
    ToldTensor tensor;
  };
  static bool Before(const Seen& one, const Seen& other);
  Alert Tell() const;

  const store::StringTable& strings_;
  std::optional<Seen> first_;
  int64_t seen_ = 0;  // that are not finite, the first among them
  int64_t newest_ns_ = 0;
  bool told_ = false;
};

}  // namespace steptrace::agent
