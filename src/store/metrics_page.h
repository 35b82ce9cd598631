// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "store/metrics.h"

namespace steptrace::store {

// docs/reference/metrics.md, from the declarations; metrics_test proves the file current.
inline std::string MetricsPage() {
  std::string page =
      "# Metrics\n\n"
      "Generated from `src/store/metrics.h`. Each is a track of kind `counter`, `core` or `device` "
      "whose `name` is the metric;\nvalues are rows of `counters`. Shares run from 0 to 1. A "
      "metric that cannot be read is absent, and the run says why.\n";
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
  return page;
}

}  // namespace steptrace::store
