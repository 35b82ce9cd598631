// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "serve/export/output.h"
#include "serve/export/rows.h"
#include "serve/export/tracks.h"

namespace steptrace::exporter {

// One rank; nothing: all that the run holds.
Status WriteChrome(const std::filesystem::path& run, RunFrame& frame, RankFilter rank,
                   Output& output);
Status WriteSpeedscope(const std::filesystem::path& run, RunFrame& frame, Output& output);
Status WriteFolded(const std::filesystem::path& run, RunFrame& frame, Output& output);
Status WritePerfetto(const std::filesystem::path& run, RunFrame& frame, Output& output);

}  // namespace steptrace::exporter
