// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "agent/watch/tensor_rule.h"
#include "store/string_table.h"

namespace steptrace::agent {

// Says which tensor was the first that was not finite, of all ranks of the node: the earliest step
// decides, and within one the order in which a step computes them. The loss comes of the forward
// pass, a gradient of the backward pass, which begins at the last parameter, a weight of the
// optimizer.
//
// What belongs to one step comes in pieces: it waits until nothing has come for a while. Told once:
// whatever comes later follows from it, until all that is looked at on that rank has been finite
// for eight steps, that tensor among it: that is told, too, and the next one that is not is a new
// one.
//
// The forward order of modules is not known: of several in one step the order of registration
// decides, and the finding says so.
class NonfiniteWatch : public TensorRule {
 public:
  explicit NonfiniteWatch(const store::StringTable& strings) : strings_(strings) {}

  void OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) override;
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;
  std::vector<Unjudged> WhyUnjudged() const override { return {}; }

 private:
  struct Seen {
    int32_t rank = -1;
    ReportedTensor tensor;
  };
  // How long all has been finite since.
  struct Streak {
    int64_t steps = 0;
    int64_t since = 0;
    int64_t newest = 0;    // of them
    int64_t last_bad = 0;  // step of the newest that was not
    bool same = false;     // that very tensor among them
  };
  static bool Before(const Seen& one, const Seen& other);
  static bool Together(const Seen& one, const Seen& other);
  void Follow(int32_t rank, const ReportedTensor& tensor);
  Alert MakeAlert() const;
  Alert TellFinite() const;

  const store::StringTable& strings_;
  std::optional<Seen> first_;
  // Tensors that are not finite, the first among them; and those of its step, role and rank.
  std::set<std::tuple<int32_t, store::StringId, wire::TensorRole>> seen_;
  std::set<store::StringId> alike_;
  int64_t newest_ns_ = 0;
  bool reported_ = false;
  Streak streak_;
  int episodes_ = 0;
};

}  // namespace steptrace::agent
