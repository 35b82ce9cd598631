// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/alert.h"

#include "agent/rows/finding_row.h"

namespace steptrace::agent {

store::FindingRow RowOf(const Alert& alert, int64_t now_ns, store::StringTable& strings) {
  store::FindingRow row =
      MakeFindingRow(now_ns, alert.severity, alert.subject, alert.found, strings);
  if (!alert.evidence.empty()) row.evidence = alert.evidence;
  return row;
}

}  // namespace steptrace::agent
