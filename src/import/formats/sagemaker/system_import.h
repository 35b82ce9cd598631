// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/text_hash.h"
#include "import/core/importer.h"
#include "import/core/rows/run_sink.h"
#include "import/formats/sagemaker/system_metrics.h"
#include "store/metrics.h"

namespace steptrace::import::sagemaker {

// Lines of another node than their file's: read when that node's turn comes.
using StrayLines = std::map<std::string, std::vector<SystemSample>>;

// System metrics of one node, file by file, into the open part of the sink.
class SystemImport {
 public:
  SystemImport(std::string node, StrayLines& strays, const ImportContext& context, RunSink& sink)
      : node_(std::move(node)), strays_(strays), context_(context), sink_(sink) {}

  void AddFile(const Source& source);
  void AddStrays();
  // The node's own figures; true: something was stored.
  bool Finish();

 private:
  void AddLine(const Source& source, std::string_view line, bool complete);
  void Flush();
  void Store(const SystemSample& sample);
  int32_t TrackOf(const MetricKey& key);
  bool IsNew(int32_t track, const SystemSample& sample);
  void StoreMeans(store::Metric metric, CoreMeans& means);

  std::string node_;
  StrayLines& strays_;
  const ImportContext& context_;
  RunSink& sink_;
  std::vector<SystemSample> pending_;
  std::map<MetricKey, int32_t> tracks_;
  SeededSet<uint64_t> seen_;
  CoreMeans busy_, iowait_;
  int64_t stored_ = 0;
  int64_t stray_count_ = 0;
};

}  // namespace steptrace::import::sagemaker
