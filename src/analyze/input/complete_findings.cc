// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/complete_findings.h"

namespace steptrace::analyze {

void CompleteFindings(std::span<const store::NodeInfo> nodes,
                      std::span<model::Finding* const> findings) {
  model::HostNames hosts;
  for (const store::NodeInfo& one : nodes) {
    if (!one.host.empty()) hosts.emplace(one.node, one.host);
  }
  for (model::Finding* one : findings) NameHosts(hosts, *one);
  NumberAlike(findings);
}

}  // namespace steptrace::analyze
