// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "agent/capture/capture_client.h"
#include "agent/capture/capture_port.h"
#include "cli/cell_text.h"
#include "cli/commands.h"
#include "cli/present_options.h"
#include "cli/progress.h"
#include "serve/rpc/run_path.h"
#include "store/manifest.h"

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

struct CaptureArguments {
  std::string run;     // or a process of it
  int64_t steps = 10;  // fewer have a verdict without an interval
  std::optional<double> duration_s;
  std::string ranks;
  bool json = false;
};

// A run that goes on, and where its agent listens.
struct LiveRun {
  fs::path path;
  fs::path ring_dir;
};

// What the launcher gave to a process of a run (cli/run_environment.h).
std::string VariableOf(int32_t pid, std::string_view name) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  for (std::string entry; std::getline(file, entry, '\0');) {
    if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return {};
}

std::optional<LiveRun> RunAround(int32_t pid) {
  LiveRun run{VariableOf(pid, "STEPTRACE_RUN_DIR"), VariableOf(pid, "STEPTRACE_RING_DIR")};
  if (run.path.empty() || run.ring_dir.empty()) return std::nullopt;
  return run;
}

Result<LiveRun> RunOfProcess(int32_t pid) {
  if (const auto run = RunAround(pid)) return *run;
  // The launcher, which is what a shell tells the number of: its command is in the run.
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", pid));
  for (int32_t child = 0; children >> child;) {
    if (const auto run = RunAround(child)) return *run;
  }
  return Error{
      fmt::format(
          "capture: process {} was not started by `steptrace run` (or belongs to another user)",
          pid),
      "start it with `steptrace run`"};
}

Result<LiveRun> RunByName(const std::string& text, const Settings& settings) {
  STEPTRACE_ASSIGN_OR_RETURN(const fs::path path, rpc::ResolveRun(text, settings.folder));
  auto ring_dir = agent::RingDirOf(path);
  if (!ring_dir.ok()) return ring_dir.error();
  return LiveRun{path, *std::move(ring_dir)};
}

Result<LiveRun> Find(const CaptureArguments& arguments, const Settings& settings) {
  int32_t pid = 0;
  const std::string& text = arguments.run;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  const bool number = error == std::errc() && end == text.data() + text.size() && pid > 0;
  if (number && fs::exists(fmt::format("/proc/{}", pid))) return RunOfProcess(pid);
  return RunByName(text, settings);
}

// As the next command finds it.
std::string NameOf(const fs::path& run) {
  const auto manifest = store::ReadManifest(run);
  return RunInCommands(run, manifest.ok() ? manifest->name : "");
}

// Waits for the steps, with a bar.
Result<agent::Captured> WaitFor(const LiveRun& run, const CaptureArguments& arguments,
                                const std::string& request) {
  std::unique_ptr<ProgressBar> progress;
  agent::CaptureWords words{.request = request, .run = NameOf(run.path)};
  words.asked = [&](int64_t asked) {
    progress = std::make_unique<ProgressBar>(
        arguments.duration_s ? fmt::format("capture of {} s", *arguments.duration_s)
                             : fmt::format("capture of {} steps", arguments.steps),
        asked);
  };
  words.begun = [&](int64_t begun) {
    if (progress != nullptr) progress->Done(begun);
  };
  return agent::RequestCapture(run.ring_dir, words);
}

// What is printed of a kind beside the report itself.
constexpr uint32_t Bit(wire::CaptureKind kind) {
  return static_cast<uint32_t>(kind);
}
constexpr std::pair<uint32_t, const char*> kSections[] = {
    {Bit(wire::CaptureKind::kOperators) | Bit(wire::CaptureKind::kProfile), "operators"},
    {Bit(wire::CaptureKind::kKernels), "kernels"},
    {Bit(wire::CaptureKind::kProfileMemory), "memory"},
};

std::string RequestOf(const CaptureArguments& arguments, uint32_t kinds) {
  const std::string words = agent::KindsText(kinds);
  if (!arguments.duration_s) {
    return agent::CaptureRequestText(arguments.steps, words, arguments.ranks);
  }
  const std::chrono::milliseconds duration(std::llround(*arguments.duration_s * 1e3));
  return agent::CaptureRequestText(duration, words, arguments.ranks);
}

Status Capture(const CaptureArguments& arguments, const Session& session) {
  const Settings& settings = session.settings;
  STEPTRACE_ASSIGN_OR_RETURN(const uint32_t kinds, agent::ParseKinds(settings.capture));
  const std::string request = RequestOf(arguments, kinds);
  if (auto sound = agent::ParseCaptureRequest(request); !sound.ok()) {
    return sound.error().Of("capture");
  }
  STEPTRACE_ASSIGN_OR_RETURN(const LiveRun run, Find(arguments, settings));
  STEPTRACE_ASSIGN_OR_RETURN(const agent::Captured captured, WaitFor(run, arguments, request));
  PresentOptions present;
  present.price_per_hour = settings.price_per_hour;
  present.tensor_cores = settings.tensor_cores;
  present.stages = settings.stages;
  present.color = session.color();
  present.from_ns = captured.from_ns;
  present.to_ns = captured.to_ns;
  present.json = arguments.json;
  STEPTRACE_RETURN_IF_ERROR(PrintReport(run.path, present, stdout));
  if (arguments.json) return {};
  for (const auto& [kind, section] : kSections) {
    if ((kinds & kind) == 0) continue;
    std::fputs("\n", stdout);
    present.section = section;
    STEPTRACE_RETURN_IF_ERROR(PrintReport(run.path, present, stdout));
  }
  return {};
}

}  // namespace

void AddCaptureCommand(CLI::App& app, Session& session) {
  CLI::App* command = AddCommand(
      app, {.name = "capture",
            .sentence = "Capture details of the next steps of a live run",
            .usage = "[RUN|PID] [OPTIONS]",
            .examples = {"steptrace capture", "steptrace capture --steps 5 --capture kernels",
                         "steptrace capture train-slow --steps 20 --ranks 0,3"}});
  auto arguments = std::make_shared<CaptureArguments>();
  command
      ->add_option("RUN", arguments->run,
                   "Path, name or id of a run, or one of its processes (default: the newest run)")
      ->type_name("");
  CLI::Option* steps =
      command->add_option("--steps", arguments->steps, "Steps to capture (default: 10)")
          ->type_name("N")
          ->check(CLI::Range(int64_t{1}, agent::kMaxDemandedSteps).description(""));
  command
      ->add_option("--duration", arguments->duration_s,
                   "Seconds to capture (0.001 to 5) instead of steps, for processes without hooks "
                   "(run --kineto)")
      ->type_name("S")
      ->check(CLI::Range(0.001, 1e-3 * agent::kMaxDemandedMs).description(""))
      ->excludes(steps);
  command
      ->add_option("--capture", session.settings.capture,
                   "What to capture, with commas: operators (default), kernels; by PyTorch's "
                   "profiler stacks, shapes, memory, or profile (operators without these)")
      ->type_name("LIST");
  command->add_option("--ranks", arguments->ranks, "Only these ranks: 0,3")->type_name("LIST");
  AddJsonFlag(command, arguments->json);
  AddPriceOption(command, session);
  AddFolderOption(command, session);
  AddColorOption(command, session);
  command->callback([&session, arguments] {
    session.action = [&session, arguments] {
      const Status captured = Capture(*arguments, session);
      return captured.ok() ? FinishOutput(stdout) : Fail(captured.error());
    };
  });
}

}  // namespace steptrace::cli
