// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agent/ingest/hook_names.h"
#include "agent/ingest/range_pairs.h"

namespace steptrace::agent {

// The arguments of a hook's range as the JSON object of `slices.args`; empty: none.
std::string SliceArgs(const ResolvedName& name, const ClosedRange& range);

}  // namespace steptrace::agent
