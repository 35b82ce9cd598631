// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace steptrace::agent {

// Lines of a process for what no thread's nesting holds: NCCL's work, ranges that began on one
// thread and ended on another. What overlaps lies on lines side by side, up to a few; then on
// the last. Passive, one thread.
class SideTracks {
 public:
  // Makes a line: its number in the process, from 1, and its name.
  using Make = std::function<int32_t(int32_t number, const std::string& name)>;
  explicit SideTracks(Make make) : make_(std::move(make)) {}

  // The line for a time range of that kind. Time ranges come by their ends.
  int32_t Of(const std::string& name, int64_t begin_ns, int64_t end_ns);

 private:
  struct Line {
    int32_t track = 0;
    int64_t end_ns = 0;
  };
  Make make_;
  std::map<std::string, std::vector<Line>> lines_;
  int32_t made_ = 0;
};

}  // namespace steptrace::agent
