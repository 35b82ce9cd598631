// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/plan.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/text_hash.h"
#include "import/formats/sagemaker/system_metrics.h"

namespace steptrace::import::sagemaker {
namespace {

constexpr size_t kHeadBytes = 64 << 10;
// Debugger's files are closed at 10 MiB; only so small ones are compared.
constexpr int64_t kMaxComparedBytes = 32 << 20;

// The node of the first line that can be read.
std::string SystemNodeOf(const Source& source) {
  const auto head = ReadHead(source, kHeadBytes);
  if (!head.ok()) return "";
  std::string_view text = *head;
  SystemSample sample;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (ParseSystemLine(line, sample) == LineFault::kNone) return sample.node;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return "";
}

bool HasBase(const Source& source) {
  const auto head = ReadHead(source, kHeadBytes);
  return head.ok() && head->find("\"start_time_since_epoch_in_micros\"") != std::string::npos;
}

// What a file says of itself in its place alone, and not in its content: two files that differ in
// it are two, though their bytes be the same. System metrics name their node themselves.
std::string IdentityOf(const std::string& path, Dialect dialect) {
  if (dialect == Dialect::kSystem) return "";
  const bool by_folder = dialect == Dialect::kPythonStats || dialect == Dialect::kTensorFlow;
  size_t at = path.rfind('/');
  if (by_folder && at != std::string::npos && at > 0) at = path.rfind('/', at - 1);
  return at == std::string::npos ? path : path.substr(at + 1);
}

class Planner {
 public:
  void Add(const Source& source, Dialect dialect);
  ImportPlan Take();

 private:
  struct ProcessKey {
    ProcessName process;
    const Source* undated;  // null where the times have dates
    auto operator<=>(const ProcessKey&) const = default;
  };

  // Files of one size and one identity. Of a single one the content is not read.
  struct Alike {
    const Source* only = nullptr;
    SeededMap<uint64_t, const Source*> by_content;  // hashed
  };

  bool IsDouble(const Source& source, Dialect dialect);
  void AddTimeline(const Source& source);
  void AddFile(const ProcessName& process, bool dated, PlannedFile file);
  void NumberNodes();

  ImportPlan plan_;
  std::map<std::pair<int64_t, std::string>, Alike> alike_;
  std::map<std::string, std::vector<const Source*>> system_;
  std::map<ProcessKey, std::vector<PlannedFile>> processes_;
  std::map<std::string, MetadataName, std::less<>> metadata_;  // by folder
  std::vector<const Source*> timelines_;
};

// Contents are read only of files of one size and one identity, and of each once: a hash finds the
// one that it may be the same as.
bool Planner::IsDouble(const Source& source, Dialect dialect) {
  if (source.bytes <= 0 || source.bytes > kMaxComparedBytes) return false;
  Alike& alike = alike_[{source.bytes, IdentityOf(source.path, dialect)}];
  const auto read = [](const Source& one) {
    auto all = ReadAll(one, static_cast<size_t>(2 * kMaxComparedBytes));
    return all.ok() ? *std::move(all) : std::string();
  };
  if (alike.only == nullptr) {
    alike.only = &source;
    return false;
  }
  if (alike.by_content.empty()) {
    alike.by_content.emplace(HashText(read(*alike.only), HashSeed()), alike.only);
  }
  const std::string content = read(source);
  const auto [other, is_new] = alike.by_content.emplace(HashText(content, HashSeed()), &source);
  if (is_new || content.empty() || read(*other->second) != content) return false;
  plan_.doubles.emplace_back(&source, other->second);
  return true;
}

void Planner::Add(const Source& source, Dialect dialect) {
  if (const auto metadata = ParseMetadataName(source.path)) {
    const size_t slash = source.path.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : source.path.substr(0, slash);
    metadata_.emplace(folder, *metadata);
    return;
  }
  if (IsDouble(source, dialect)) return;
  switch (dialect) {
    case Dialect::kSystem:
      system_[SystemNodeOf(source)].push_back(&source);
      return;
    case Dialect::kTensorFlow:
      timelines_.push_back(&source);
      return;
    case Dialect::kPythonStats: {
      const ProfileWindow window = ParseProfileWindow(source.path);
      return AddFile(window.process, window.start_ns.has_value(), {&source, dialect, {}});
    }
    case Dialect::kFramework:
    case Dialect::kHorovod:
      return AddFile(EventFileProcess(source.path), HasBase(source), {&source, dialect, {}});
  }
}

void Planner::AddTimeline(const Source& source) {
  PlannedFile file{&source, Dialect::kTensorFlow, {}};
  const auto found = metadata_.find(MetadataFolder(source.path));
  if (found == metadata_.end()) return AddFile({TimelineHost(source.path), 0}, false, file);
  file.base_ns = found->second.start_ns;
  AddFile(found->second.process, true, file);
}

void Planner::AddFile(const ProcessName& process, bool dated, PlannedFile file) {
  processes_[{process, dated ? nullptr : file.source}].push_back(std::move(file));
}

void Planner::NumberNodes() {
  std::set<std::string> names;
  for (const auto& [name, files] : system_) names.insert(name);
  for (const auto& [key, files] : processes_) names.insert(key.process.host);
  if (names.size() > 1) names.erase("");  // counted with the first
  for (const std::string& name : names) plan_.nodes.push_back({name, {}});
  std::sort(plan_.nodes.begin(), plan_.nodes.end(),
            [](const auto& a, const auto& b) { return NaturalLess(a.name, b.name); });
  for (const PlannedNode& node : plan_.nodes) {
    plan_.node_numbers.emplace(node.name, static_cast<int32_t>(plan_.node_numbers.size()));
  }
}

ImportPlan Planner::Take() {
  for (const Source* source : timelines_) AddTimeline(*source);
  NumberNodes();
  for (auto& [name, files] : system_) {
    auto& all = plan_.nodes[static_cast<size_t>(plan_.NodeOf(name))].system_files;
    all.insert(all.end(), files.begin(), files.end());
  }
  for (auto& [key, files] : processes_) {
    plan_.processes.push_back({key.process, key.undated == nullptr, std::move(files)});
  }
  std::stable_sort(plan_.processes.begin(), plan_.processes.end(),
                   [this](const PlannedProcess& a, const PlannedProcess& b) {
                     const int32_t x = plan_.NodeOf(a.process.host);
                     const int32_t y = plan_.NodeOf(b.process.host);
                     return std::tie(x, a.process.pid) < std::tie(y, b.process.pid);
                   });
  return std::move(plan_);
}

}  // namespace

int32_t ImportPlan::NodeOf(const std::string& host) const {
  const auto found = node_numbers.find(host);
  return found == node_numbers.end() ? 0 : found->second;
}

ImportPlan MakePlan(std::span<const DetectedSource> sources) {
  Planner planner;
  for (const auto& [source, dialect] : sources) planner.Add(source, Dialect{dialect});
  return planner.Take();
}

}  // namespace steptrace::import::sagemaker
