// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

// What facts and findings say in JSON of times, nodes and tracks, when their run becomes part of
// another. The texts may be anything: what is no JSON, or is nested too deep, stays as it is.
namespace steptrace::runs {

struct JsonMoves {
  std::function<int64_t(int64_t)> time;  // of the run's clock
  std::function<int32_t(int32_t)> node;
  std::function<int32_t(int32_t)> track;
};

// A fact of kind `window`: from_ns, to_ns and time ranges, each [from, to].
std::string MovedWindow(const std::string& text, const JsonMoves& moves);

// A finding's evidence, at any depth: since_ns, node, and the condition `where` on a table. Its
// other numbers are durations, from_ns and to_ns too.
std::string MovedEvidence(const std::string& text, const JsonMoves& moves);

}  // namespace steptrace::runs
