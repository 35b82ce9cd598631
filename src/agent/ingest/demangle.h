// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace steptrace::agent {

// The names of C++ as they were written, of the names of kernels that a process gave: those that
// are none, or cannot be told, are left as they are; the result is as long as `names`.
//
// A name of a hundred characters can be made to unfold into gigabytes. So a child of this process
// does it, that has a second of CPU time and little memory; what it has not done by then, or within
// `patience_ns`, is left.
std::vector<std::string> DemangleAll(std::span<const std::string> names, int64_t patience_ns);

// The same for one process, whose names keep the agent from its rings for so long in all; then
// they are left as they are. One thread.
class BoundedDemangler {
 public:
  static constexpr int64_t kPatienceNs = 2'000'000'000;
  using Demangle =
      std::function<std::vector<std::string>(std::span<const std::string>, int64_t patience_ns)>;
  using Clock = std::function<int64_t()>;

  BoundedDemangler();
  BoundedDemangler(Demangle demangle, Clock clock);
  std::vector<std::string> All(std::vector<std::string> names);

 private:
  Demangle demangle_;
  Clock clock_;
  int64_t left_ns_ = kPatienceNs;
};

}  // namespace steptrace::agent
