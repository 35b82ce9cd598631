// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/socket.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "agent/capture/capture_port.h"
#include "agent/system/process.h"
#include "base/shell_word.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/present.h"
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

// The agent's own arguments tell the folder: it may be anywhere (--shm).
Result<LiveRun> RunByName(const std::string& text, const Settings& settings) {
  STEPTRACE_ASSIGN_OR_RETURN(const fs::path path, rpc::ResolveRun(text, settings.folder));
  STEPTRACE_ASSIGN_OR_RETURN(const store::Manifest manifest, store::ReadManifest(path));
  if (manifest.status != store::kStatusInProgress) {
    return Error{fmt::format("capture: {}: the run has ended", Printable(path.string())),
                 "capture while it runs, or give it a window (steptrace run --window)"};
  }
  const auto arguments =
      agent::ReadCommandLine(static_cast<int32_t>(manifest.writer_pid), 64 << 10);
  for (size_t i = 0; i + 1 < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] == "--ring-dir") return LiveRun{path, arguments[i + 1]};
  }
  return Error{fmt::format("capture: {}: its agent is gone", Printable(path.string())),
               fmt::format("`steptrace recover {}` closes the run", ShellWord(path.string()))};
}

Result<LiveRun> Find(const CaptureArguments& arguments, const Settings& settings) {
  int32_t pid = 0;
  const std::string& text = arguments.run;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  const bool number = error == std::errc() && end == text.data() + text.size() && pid > 0;
  if (number && fs::exists(fmt::format("/proc/{}", pid))) return RunOfProcess(pid);
  return RunByName(text, settings);
}

struct Captured {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  int64_t steps = 0;
};

// As the next command finds it.
std::string NameOf(const fs::path& run) {
  const auto manifest = store::ReadManifest(run);
  return RunInCommands(run, manifest.ok() ? manifest->name : "");
}

// Waits for the agent's words until it says that all is captured.
Result<Captured> WaitFor(int port, const CaptureArguments& arguments, const std::string& run) {
  int64_t asked = 0;
  std::unique_ptr<Progress> progress;
  while (true) {
    char packet[512];
    ssize_t bytes;
    do {
      bytes = recv(port, packet, sizeof packet, 0);
    } while (bytes < 0 && errno == EINTR);
    if (bytes <= 0) return Error{"capture: the run ended before its steps were captured"};
    std::istringstream words(std::string(packet, static_cast<size_t>(bytes)));
    std::string verb;
    words >> verb;
    if (verb == "asked") {
      words >> asked;
      progress = std::make_unique<Progress>(
          arguments.duration_s ? fmt::format("capture of {} s", *arguments.duration_s)
                               : fmt::format("capture of {} steps", arguments.steps),
          asked);
    } else if (verb == "begun" && progress != nullptr) {
      int64_t begun = 0;
      words >> begun;
      progress->Done(begun);
    } else if (verb == "done") {
      Captured captured;
      words >> captured.from_ns >> captured.to_ns >> captured.steps;
      return captured;
    } else {
      std::string why;
      std::getline(words >> std::ws, why);
      return Error{"capture: " + Printable(agent::NameRun(std::move(why), run))};
    }
  }
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
  auto port = agent::ConnectCapturePort(run.ring_dir);
  if (!port.ok()) {
    return Error{fmt::format("capture: {}: its agent does not answer ({})",
                             Printable(run.path.string()), port.error().text()),
                 "is the run still going?"};
  }
  if (send(port->get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) {
    return Error{"capture: the run has just ended"};
  }
  STEPTRACE_ASSIGN_OR_RETURN(const Captured captured,
                             WaitFor(port->get(), arguments, NameOf(run.path)));
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
  command->add_option(
      "RUN", arguments->run,
      "Path, name or id of a run, or one of its processes (default: the newest run)");
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
                   "What to capture: operators (default), kernels, or for a full profile "
                   "stacks,shapes,memory")
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
