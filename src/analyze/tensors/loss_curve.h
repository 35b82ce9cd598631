// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace steptrace::analyze {

// The losses of some steps in a row.
struct LossPart {
  int64_t from_step = 0;  // the steps are these, up to `to_step`, which is not of them
  int64_t to_step = 0;
  int64_t readings = 0;
  int64_t not_finite = 0;                     // of the readings
  std::optional<double> mean = std::nullopt;  // of the others
  std::optional<double> low = std::nullopt;
  std::optional<double> high = std::nullopt;
};

// Losses by step, in equal parts of which there are never more than so many, however long the run
// is.
class LossCurve {
 public:
  static constexpr size_t kMostParts = 128;

  // `loss`: null: it was not finite.
  void Add(int64_t step, std::optional<double> loss);
  std::vector<LossPart> Parts() const;

 private:
  struct Sum {
    int64_t readings = 0;
    int64_t not_finite = 0;
    double sum = 0;
    double low = 0;
    double high = 0;
    void Add(const Sum& other);
    int64_t finite() const { return readings - not_finite; }
  };
  void Halve();

  int width_log2_ = 0;            // of a part, in steps
  std::map<int64_t, Sum> parts_;  // by step / width
};

}  // namespace steptrace::analyze
