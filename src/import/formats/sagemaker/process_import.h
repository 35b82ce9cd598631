// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "import/core/importer.h"
#include "import/core/rows/run_sink.h"
#include "import/core/writer_marks.h"
#include "import/formats/sagemaker/plan.h"
#include "import/formats/sagemaker/python_stats.h"
#include "import/formats/sagemaker/step_marks.h"
#include "import/formats/sagemaker/trace_file.h"

namespace steptrace::import::sagemaker {

// Events, timelines and Python profiles of one process into the open part of the sink.
class ProcessImport {
 public:
  ProcessImport(const PlannedProcess& plan, const ImportContext& context, RunSink& sink);

  void AddFile(const PlannedFile& file);
  // Steps; true: something was stored.
  bool Finish();
  // A process in which only a loader's worker was seen trains nothing.
  bool is_worker() const { return worker_events_ > 0 && worker_events_ == events_; }

 private:
  // Device or -1, process, thread, trace line and its name.
  using TrackKey = std::tuple<int32_t, int64_t, int64_t, int64_t, std::string>;

  void AddEvents(const PlannedFile& file);
  void AddEvent(const TraceFileEvent& event, Dialect dialect);
  void AddPythonStats(const PlannedFile& file);
  void RecordProfile(const ProfileWindow& window, const PythonStats& stats);
  void RecordFunctions(const ProfileWindow& window, const PythonStats& stats);
  int32_t TrackOf(const TraceFileEvent& event, const EventPlace& place);
  void RecordSource(const PlannedFile& file, const WriterMarks& marks, int64_t events,
                    int64_t bytes);

  const PlannedProcess& plan_;
  const ImportContext& context_;
  RunSink& sink_;
  StepMarks steps_;
  std::map<TrackKey, int32_t> tracks_;
  int32_t profile_track_ = -1;
  int64_t events_ = 0;
  int64_t worker_events_ = 0;
};

}  // namespace steptrace::import::sagemaker
