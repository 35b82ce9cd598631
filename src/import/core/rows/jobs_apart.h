// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/result.h"
#include "import/core/rows/part.h"

namespace steptrace::import {

// Ranks are compared with one another: those of different jobs, or of one job at different times,
// would be blamed for what they have nothing to do with. Jobs are told apart by their names, by how
// many ranks they have, by times that lie more than an hour apart, unless the same processes
// were recorded at all of them, and by a rank that two processes say they are. The error names the
// groups; a part that tells nothing belongs to any.
Status CheckOneJob(std::span<Part* const> parts);

}  // namespace steptrace::import
