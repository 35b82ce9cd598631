// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "analyze/code/stack_class.h"
#include "analyze/input/job_facts.h"

namespace steptrace::analyze {

// What the hooks told of all loaders, each once.
inline CollateCalls CollateCallsOf(const JobFacts& facts) {
  CollateCalls calls;
  for (const LoaderFact& loader : facts.loaders) {
    if (!loader.collate.empty()) calls.names.push_back(loader.collate);
    calls.lines.insert(calls.lines.end(), loader.collate_lines.begin(), loader.collate_lines.end());
  }
  const auto once = [](auto& all) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  };
  once(calls.names);
  once(calls.lines);
  return calls;
}

}  // namespace steptrace::analyze
