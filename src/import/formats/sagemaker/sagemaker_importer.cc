// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/sagemaker_importer.h"

#include <string>
#include <utility>

#include "import/formats/sagemaker/detect.h"
#include "import/formats/sagemaker/plan.h"
#include "import/formats/sagemaker/process_import.h"
#include "import/formats/sagemaker/system_import.h"
#include "model/finding_kinds.h"

namespace steptrace::import::sagemaker {
namespace {

constexpr ReadFiles kReads[] = {
    {"SageMaker Debugger", "its lines and folders", "metrics, events, ranks of the job"},
};
constexpr const char* kEndings[] = {".json"};

// Debugger's clock is UTC; files without a base have a clock of their own.
constexpr int64_t kUtc = 0;

bool ImportSystem(const ImportPlan& plan, const ImportContext& context, RunSink& sink) {
  bool any = false;
  StrayLines strays;
  const auto import_node = [&](const std::string& name, int32_t node,
                               const std::vector<const Source*>& files) {
    sink.BeginPart();
    SystemImport import(name, strays, context, sink);
    for (const Source* file : files) import.AddFile(*file);
    import.AddStrays();
    any = import.Finish() || any;
    PartFacts facts;
    facts.rank = -1;
    facts.node = node;
    facts.host = name;
    facts.utc_offset_ns = kUtc;
    facts.source = files.empty() ? name : files.front()->path;
    sink.EndPart(std::move(facts));
  };
  for (const auto& node : plan.nodes) {
    if (node.system_files.empty()) continue;
    import_node(node.name, plan.NodeOf(node.name), node.system_files);
  }
  // Nodes that have lines in the files of others alone.
  auto next = static_cast<int32_t>(plan.nodes.size());
  while (!strays.empty()) {
    const std::string name = strays.begin()->first;
    const bool planned = plan.nodes[static_cast<size_t>(plan.NodeOf(name))].name == name;
    import_node(name, planned ? plan.NodeOf(name) : next++, {});
  }
  return any;
}

bool ImportProcess(const ImportPlan& plan, const PlannedProcess& process,
                   const ImportContext& context, RunSink& sink) {
  sink.BeginPart();
  ProcessImport import(process, context, sink);
  for (const auto& file : process.files) import.AddFile(file);
  const bool any = import.Finish();
  PartFacts facts;
  if (!any || import.is_worker()) facts.rank = -1;
  facts.node = plan.NodeOf(process.process.host);
  facts.host = process.process.host;
  // JAX writes its profile twice side by side; in Debugger's folders a host has its own.
  facts.host_is_guessed = !process.dated && process.files.front().dialect == Dialect::kTensorFlow;
  facts.pid = process.process.pid;
  if (process.dated) facts.utc_offset_ns = kUtc;
  facts.source = process.files.front().source->path;
  sink.EndPart(std::move(facts));
  return any;
}

// By marks that other tools' trace events may have, too: Kineto's own are surer.
Detection Detect(std::string_view head, const Source& source) {
  const auto dialect = DetectDialect(source, head);
  if (!dialect) return {};
  return {Confidence::kMarks, {}, static_cast<uint8_t>(*dialect)};
}

Status Import(std::span<const DetectedSource> sources, const ImportContext& context,
              RunSink& sink) {
  const ImportPlan plan = MakePlan(sources);
  bool any = ImportSystem(plan, context, sink);
  for (const PlannedProcess& process : plan.processes) {
    any = ImportProcess(plan, process, context, sink) || any;
  }
  for (const auto& [source, other] : plan.doubles) {
    if (context.advanced) context.advanced(source->bytes);
    sink.RunLoss("slices", LossCause::kSameProfileTwice, 1,
                 Make(model::finding::LossSameProfile{
                     .work = false, .file = source->path, .other = other->path}));
  }
  if (any) return {};
  const std::string path = sources.empty() ? "no file" : sources.front().source.path;
  Error nothing{path + ": holds no sample and no event", "give the folder of Debugger's output"};
  sink.RunLoss("slices", LossCause::kFileRefused, 1,  // others may fill the run
               Make(model::finding::LossFileRefused{.reason = nothing.text()}));
  return nothing;
}

}  // namespace

constinit const Importer kSageMakerImporter{.format = store::ProfileFormat::kSagemaker,
                                            .writer = "SageMaker Debugger",
                                            .detect = Detect,
                                            .import = Import,
                                            .joins_files = true,
                                            .title = "SageMaker Debugger",
                                            .reads = kReads,
                                            .endings = kEndings};

}  // namespace steptrace::import::sagemaker
