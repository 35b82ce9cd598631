// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "serve/export/export_rows.h"
#include "serve/export/export_tracks.h"
#include "serve/export/output.h"

namespace steptrace::exporter {

// One rank; nothing: all that the run holds.
Status WriteChrome(const std::filesystem::path& run, RunFrame& frame, RankFilter rank,
                   Output& output);
Status WriteSpeedscope(const std::filesystem::path& run, RunFrame& frame, Output& output);
Status WriteFolded(const std::filesystem::path& run, RunFrame& frame, Output& output);
Status WritePerfetto(const std::filesystem::path& run, RunFrame& frame, Output& output);

}  // namespace steptrace::exporter
