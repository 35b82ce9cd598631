// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyze/report/report.h"
#include "analyze/report/report_json.h"
#include "cli/render/page.h"

// The blocks of the text form; each leaves out what the report does not hold.
namespace steptrace::cli {

// What a command is given to find the run again.
std::string RunToType(const analyze::Report& report, const Page& page);

// The run's name, `label` before it, and how it ended, on one line.
void RenderHeader(const analyze::Report& report, Page& page, const std::string& label = "");
// The first of them, and where the others are; `run`: to find it by.
void RenderLossLines(std::span<const analyze::LossLine> losses, int indent, const std::string& run,
                     Page& page);
// With which exception, or by which signal, a run failed.
void RenderFailure(const analyze::Report& report, Page& page);
// On what it ran, and with what.
void RenderCard(const analyze::Report& report, Page& page);
// ... and in what of it two runs differ.
void RenderCards(const analyze::Report& a, const analyze::Report& b, Page& page);
// What it gets done a second, as far as that is known.
void RenderThroughput(const analyze::Report& report, Page& page);
// ... where both tell it.
void RenderThroughputs(const analyze::Report& a, const analyze::Report& b, Page& page);
// Memory of which little was left.
void RenderCloseLimits(const analyze::Report& report, Page& page);
// ... and how much of each there was.
void RenderLimits(const analyze::Report& report, int64_t top, Page& page);
void RenderBreakdown(const analyze::Report& report, Page& page);
void RenderRanks(const analyze::Report& report, Page& page);
void RenderSystem(const analyze::Report& report, Page& page);
void RenderVerdict(const analyze::Report& report, Page& page);

// The sections of `report --section`, each in <name>_section.cc: the whole of it, at most `top`
// rows a table. Where the report does not hold it, a line says so.
void RenderRecommendations(const analyze::Report& report, int64_t top, Page& page);
void RenderDevices(const analyze::Report& report, int64_t top, Page& page);
void RenderDistributed(const analyze::Report& report, int64_t top, Page& page);
void RenderCriticalPath(const analyze::Report& report, int64_t top, Page& page);
void RenderOperators(const analyze::Report& report, int64_t top, Page& page);
void RenderKernels(const analyze::Report& report, int64_t top, Page& page);
void RenderMemory(const analyze::Report& report, int64_t top, Page& page);
void RenderModules(const analyze::Report& report, int64_t top, Page& page);
void RenderTensors(const analyze::Report& report, int64_t top, Page& page);
// ... and the rules about tensors alone.
void RenderTensorRules(const analyze::Report& report, int64_t top, Page& page);

// The verdict in a sentence, with what fixing it would gain at most.
std::string VerdictText(const analyze::Verdict& verdict);
Tint SuspectTint(std::string_view suspect);  // plain: no suspect

}  // namespace steptrace::cli
