// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "store/metrics.h"

namespace steptrace::store {

// docs/reference/metrics.md, from the declarations; metrics_test proves the file current.
inline std::string MetricsPage() {
  std::string page =
      "# Metrics\n\n"
      "Generated from `src/store/metrics.h`. Each is a track of kind `counter` whose `name` is the "
      "metric;\n`device` or `pid` of the track says which core, GPU or process it is of. Values "
      "are "
      "rows of `counters`. Shares\nrun from 0 to 1. A metric that cannot be read is absent, and "
      "the run says why. Counters of imported traces\nkeep their names.\n";
  MetricScope scope = MetricScope::kAgent;
  for (const MetricInfo& info : kMetrics) {
    if (&info == kMetrics || info.scope != scope) {
      scope = info.scope;
      page += "\n## " + std::string(NameOf(scope)) + "\n\n| metric | unit | meaning |\n";
      page += "| --- | --- | --- |\n";
    }
    page += "| `" + std::string(info.name) + "` | " + NameOf(info.unit) + " | " + info.sentence +
            " |\n";
  }
  page +=
      "\n## torch_cuda\n\nOf each process and device; told by the hooks at borders of steps "
      "([memory](../concepts/memory.md)).\n\n| metric | unit | meaning |\n| --- | --- | --- |\n"
      "| `torch_cuda.allocated_bytes` | bytes | What PyTorch's allocator has given to tensors. |\n"
      "| `torch_cuda.reserved_bytes` | bytes | What it holds of the device. |\n"
      "| `torch_cuda.inactive_split_bytes` | bytes | Of that, free parts of blocks that are in use "
      "otherwise: what fragmentation keeps from use. |\n"
      "| `torch_cuda.alloc_retries` | count | Allocations that the device refused until the "
      "allocator had given its cache back, since the process began. |\n"
      "| `torch_cuda.ooms` | count | Times that it ran out of memory, since the process began. |\n";
  return page;
}

}  // namespace steptrace::store
