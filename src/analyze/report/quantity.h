// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "present/words/quantity.h"

namespace steptrace::analyze {

using present::FormatBytes;
using present::FormatCores;
using present::FormatCount;
using present::FormatCounted;
using present::FormatDuration;
using present::FormatMoney;
using present::FormatNumber;
using present::FormatRatio;
using present::FormatShare;
using present::FormatShareNumber;

}  // namespace steptrace::analyze
