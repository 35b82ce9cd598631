// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file that a user imports, and all that can be done with its run: what was imported
// can be reported, shown and exported, and what cannot be imported leaves nothing.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "base/utf8.h"
#include "cli/present_options.h"
#include "serve/export/export.h"
#include "serve/rpc/import.h"
#include "serve/rpc/rules.h"
#include "serve/rpc/table.h"
#include "serve/rpc/timeline.h"
#include "store/manifest.h"
#include "testing/text_damage.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most)
    __attribute__((weak));  // libFuzzer's own, in its executable alone

namespace steptrace {
namespace {

namespace fs = std::filesystem;

void Must(const Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", what, status.error().text().c_str());
  std::abort();
}
template <class T>
void Must(const Result<T>& result, const char* what) {
  if (!result.ok()) Must(Status(result.error()), what);
}

// In memory where there is room: nothing that is synced has to reach a disk.
fs::path PlaceOfRuns() {
  const fs::path memory = "/dev/shm";
  const fs::path place = ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
  return place / ("import_read_fuzz." + std::to_string(::getpid()));
}

class CleanTexts : public rpc::RowVisitor {
 public:
  Status Begin(const std::vector<rpc::Column>&) override { return {}; }
  Status Row(std::span<const rpc::Cell> cells) override {
    for (const rpc::Cell& cell : cells) {
      const auto* text = std::get_if<std::string_view>(&cell);
      if (text != nullptr && !IsUtf8(*text)) return Error{"a text is no UTF-8"};
    }
    return {};
  }
};

void Report(const fs::path& run) {
  std::FILE* nowhere = std::fopen("/dev/null", "w");
  if (nowhere == nullptr) std::abort();
  cli::PresentOptions options;
  Must(cli::PrintReport(run, options, nowhere), "report");
  std::fclose(nowhere);
  Must(rpc::LoadRules(run, analyze::RuleSettings(analyze::RuleMode::kModern), {}), "rules");
}

void Show(const fs::path& run) {
  const auto manifest = store::ReadManifest(run);
  Must(manifest, "run.json");
  for (const auto& [table, parts] : manifest->tables) {
    CleanTexts rows;
    std::vector<store::DamagedSegment> damaged;  // left out by readers; none may be
    Must(rpc::VisitRows({run, table, {}, "", {}, &damaged}, rows), table.c_str());
    if (!damaged.empty()) Must(Status(damaged[0].why), damaged[0].segment.file.c_str());
  }
  const auto timeline = rpc::RunTimeline::Open(run);
  Must(timeline, "timeline");
  if ((*timeline)->from_ns() < (*timeline)->to_ns()) {
    Must(rpc::ViewArrow(**timeline, {}, 1000), "view");
  }
}

void Export(const fs::path& run, const fs::path& folder) {
  using exporter::TraceFormat;
  for (const TraceFormat format : {TraceFormat::kChrome, TraceFormat::kPerfetto}) {
    Must(exporter::ExportTrace(run, format,
                               folder / ("as" + std::to_string(static_cast<int>(format)))),
         "export");
  }
  using store::ScanFormat;
  for (const ScanFormat format :
       {ScanFormat::kArrowStream, ScanFormat::kCsv, ScanFormat::kParquet}) {
    const fs::path file = folder / ("table" + std::to_string(static_cast<int>(format)));
    Must(rpc::WriteTable({run, "slices", {}, "", {}}, format, file), "export of slices");
  }
}

// A folder for one input, empty before and gone afterwards.
class Place {
 public:
  Place() : path_(PlaceOfRuns()) {
    fs::remove_all(path_);
    fs::create_directory(path_);
  }
  ~Place() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace
}  // namespace steptrace

// Each input is a run that is written and read several times.
extern "C" const int fuzz_one_of = 40;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steptrace;
  const Place place;
  const fs::path profile = place.path() / "profile";
  std::FILE* file = std::fopen(profile.c_str(), "wb");
  if (file == nullptr || std::fwrite(data, 1, size, file) != size) std::abort();
  std::fclose(file);
  const fs::path runs = place.path() / "runs";
  rpc::ImportRequest request;
  request.paths = {profile};
  request.output = runs / "run";
  request.max_bytes = 1 << 20;
  request.max_depth = 32;
  const auto imported = rpc::ImportProfiles(request, {});
  if (!imported.ok()) {
    const std::string& why = imported.error().text();
    if (why.find("as a bug") != std::string::npos) Must(imported, "import");
    if (why.find('\n') != std::string::npos) Must(imported, "import in more than one line");
    if (fs::exists(runs) && !fs::is_empty(runs)) Must(imported, "import that left something");
    return 0;
  }
  Report(request.output);
  Show(request.output);
  Export(request.output, place.path());
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  if (LLVMFuzzerMutate != nullptr && seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  bytes = steptrace::TextDamage(seed).Of(std::move(bytes));
  if (bytes.size() > most) return size;
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
