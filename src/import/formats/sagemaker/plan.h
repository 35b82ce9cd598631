// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "import/core/importer.h"
#include "import/formats/sagemaker/detect.h"
#include "import/formats/sagemaker/file_names.h"

// Which file of Debugger's output belongs to which node and process, before any is read.
namespace steptrace::import::sagemaker {

struct PlannedFile {
  const Source* source = nullptr;
  Dialect dialect;
  std::optional<int64_t> base_ns;  // of a TensorFlow timeline, from the metadata beside it
};

// One part of the run: a process by one clock. Files whose times have no date are parts of their
// own.
struct PlannedProcess {
  ProcessName process;
  bool dated = true;
  std::vector<PlannedFile> files;
};

struct PlannedNode {
  std::string name;
  std::vector<const Source*> system_files;
};

struct ImportPlan {
  std::vector<PlannedNode> nodes;                                // by number
  std::vector<PlannedProcess> processes;                         // by node, then process id
  std::vector<std::pair<const Source*, const Source*>> doubles;  // a file, and the same one before

  std::map<std::string, int32_t> node_numbers;  // by name

  int32_t NodeOf(const std::string& host) const;  // 0 for a name that is unknown
};

// As detect.h detected them.
ImportPlan MakePlan(std::span<const DetectedSource> sources);

}  // namespace steptrace::import::sagemaker
