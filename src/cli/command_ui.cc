// SPDX-License-Identifier: Apache-2.0
#include "cli/command_ui.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "agent/capture/capture_client.h"
#include "agent/capture/capture_port.h"
#include "cli/commands.h"
#include "cli/package_dir.h"
#include "cli/settings_file.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "serve/http/gate.h"
#include "serve/http/helper.h"
#include "serve/http/server.h"
#include "serve/rpc/run_path.h"
#include "store/run_list.h"

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kDefaultPort = 4280;

struct UiArguments {
  std::string what;  // a run or a folder of runs
  std::string host = "127.0.0.1";
  int64_t port = kDefaultPort;
  bool open = false;
};

Result<Shown> ShownBy(const UiArguments& arguments, const Session& session) {
  std::error_code failed;
  const fs::path given = arguments.what;
  const fs::path folder = given.empty() ? fs::path(session.settings.folder) : given;
  const bool is_run = !given.empty() && store::IsRunFolder(given);
  if (fs::is_directory(folder, failed) && !is_run) {
    fs::directory_iterator readable(folder, failed);
    if (!failed) return Shown{folder, std::nullopt};
    return Error{fmt::format("{}: {}", folder.string(), failed.message()),
                 "ask its owner for the right to read it"};
  }
  if (given.empty()) return Shown{folder, std::nullopt};
  STEPTRACE_ASSIGN_OR_RETURN(fs::path run, rpc::ResolveRun(given, session.settings.folder));
  run = fs::canonical(run, failed);
  if (failed)
    return Error{fmt::format("{}: {}", given.string(), failed.message()), "name a run or a folder"};
  return Shown{run.parent_path(), run.filename().string()};
}

Result<http::CapturedSteps> CaptureOf(const http::RunCaptureRequest& ask) {
  STEPTRACE_ASSIGN_OR_RETURN(const uint32_t kinds, agent::ParseKinds(ask.kinds));
  STEPTRACE_ASSIGN_OR_RETURN(const fs::path ring_dir, agent::RingDirOf(ask.run));
  const agent::CaptureWords words{
      .request = agent::CaptureRequestText(ask.steps, agent::KindsText(kinds), ""),
      .run = ask.run.filename().string(),
      .gone = ask.gone};
  STEPTRACE_ASSIGN_OR_RETURN(const agent::Captured captured,
                             agent::RequestCapture(ring_dir, words));
  return http::CapturedSteps{captured.from_ns, captured.to_ns, captured.steps};
}

// Only where there is a desktop to show it: over ssh nobody would see it.
void OpenBrowser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  const char* const line[] = {"xdg-open", address.c_str(), nullptr};
  pid_t child = 0;
  ::posix_spawnp(&child, line[0], nullptr, nullptr, const_cast<char* const*>(line), environ);
}

// The package's folder `ui`, wherever the package is: the first that holds pages, else the first.
fs::path PagesDir() {
  std::error_code failed;
  const auto candidates = PackageDirCandidates();
  for (const fs::path& package : candidates) {
    if (fs::exists(package / "ui" / "index.html", failed)) return package / "ui";
  }
  const auto package = PackageDir();
  return (package.ok() ? *package : candidates.front()) / "ui";
}

// A file without a name with the settings as they are now, so that a helper that is started later
// has the same; none: there are no such settings.
Result<UniqueFd> SettingsOfNow() {
  STEPTRACE_ASSIGN_OR_RETURN(const auto text, ReadSettingsFile(SettingsFile(ProcessEnvironment()),
                                                               SettingsNeed::kMayBeAbsent));
  if (!text) return UniqueFd();
  UniqueFd file(::memfd_create("steptrace.toml", MFD_CLOEXEC));
  if (!file.valid() ||
      ::write(file.get(), text->data(), text->size()) != static_cast<ssize_t>(text->size())) {
    return Error{"steptrace.toml: not enough memory to keep it", "free some memory"};
  }
  return file;
}

Result<std::shared_ptr<http::Helper>> MakeHelper(const Shown& shown, const Session& session) {
  http::HelperOptions options;
  // Also where the executable was replaced since by a newer one.
  options.command = {"/proc/self/exe", "helper", fmt::format("--parent={}", ::getpid()),
                     "--shown-folder=" + fs::absolute(shown.folder).string()};
  if (shown.only) options.command.push_back("--shown-run=" + *shown.only);
  if (session.settings.price_per_hour) {
    options.command.push_back(fmt::format("--price-per-hour={}", *session.settings.price_per_hour));
  }
  STEPTRACE_ASSIGN_OR_RETURN(options.file, SettingsOfNow());
  options.variables = {options.file.valid()
                           ? fmt::format("STEPTRACE_CONFIG=/proc/self/fd/{}", http::kHelperFile)
                           : "STEPTRACE_CONFIG=/dev/null"};
  options.folder = fs::absolute(shown.folder);
  return std::make_shared<http::Helper>(std::move(options));
}

// A server and what it asks for answers; the latter is ended with the former.
struct Served {
  std::shared_ptr<http::Api> api;
  std::unique_ptr<http::Server> server;
};

Result<Served> StartServer(const UiArguments& arguments, const Session& session) {
  STEPTRACE_RETURN_IF_ERROR(CheckInstance(session.settings));
  STEPTRACE_ASSIGN_OR_RETURN(const Shown shown, ShownBy(arguments, session));
  STEPTRACE_ASSIGN_OR_RETURN(http::Files files, http::Files::Open(PagesDir()));
  http::ApiOptions answers = ApiOptionsOf(shown, session.settings);
  STEPTRACE_ASSIGN_OR_RETURN(answers.helper, MakeHelper(shown, session));
  http::ServerOptions options;
  options.host = arguments.host;
  options.port = static_cast<uint16_t>(arguments.port);
  if (!http::IsLoopback(options.host)) options.token = http::MakeToken();
  Served served;
  served.api = std::make_shared<http::Api>(std::move(answers));
  STEPTRACE_ASSIGN_OR_RETURN(served.server,
                             http::Server::Start(std::move(options), served.api,
                                                 std::make_shared<http::Files>(std::move(files))));
  return served;
}

// The pages show a run that cannot be read as such; here is why. One line, of however many.
void PrintUnreadable(const Shown& shown) {
  const auto runs = store::ListRuns(shown.folder);
  if (!runs.ok()) return;
  size_t more = 0;
  std::string first;
  for (const store::RunSummary& run : *runs) {
    if (run.problem.empty() || (shown.only && run.path.filename() != *shown.only)) continue;
    if (first.empty()) {
      first = run.problem;
    } else {
      ++more;
    }
  }
  if (first.empty()) return;
  if (more > 0) first += fmt::format(" (and {} more that cannot be read)", more);
  PrintError(Error{first});
}

int Ui(const UiArguments& arguments, const Session& session) {
  auto served = StartServer(arguments, session);
  if (!served.ok()) return Fail(served.error());
  const std::string address = served->server->address();
  PrintLine(address + " (Ctrl-C ends it)");
  if (const int status = FinishOutput(stdout); status != kExitOk) return status;
  if (arguments.open) OpenBrowser(address);
  if (const auto shown = ShownBy(arguments, session); shown.ok()) PrintUnreadable(*shown);
  served->server->Run(/*until_signal=*/true);
  served->api->Stop();
  // An answer that is being computed is not waited for.
  std::_Exit(kExitOk);
}

}  // namespace

http::ApiOptions ApiOptionsOf(const Shown& shown, const Settings& settings) {
  http::ApiOptions api;
  api.folder = fs::absolute(shown.folder);
  api.only = shown.only;
  api.version = kVersion;
  api.tensor_cores = settings.tensor_cores;
  api.stages = settings.stages;
  api.editor_url = settings.editor_url;
  api.pages = PagesDir();
  api.capture = CaptureOf;
  api.cost = {.price_per_hour = settings.price_per_hour,
              .instance = settings.instance,
              .types = settings.instances};
  return api;
}

void AddUiCommand(CLI::App& app, Session& session) {
  CLI::App* command =
      AddCommand(app, {.name = "ui",
                       .sentence = "Show runs in the browser",
                       .usage = "[RUN or FOLDER] [OPTIONS]",
                       .examples = {"steptrace ui --open", "steptrace ui train-slow --port 0",
                                    "steptrace ui /shared/runs --host 0.0.0.0"},
                       .exit_codes = "0: ended by Ctrl-C; 2: bad input"});
  auto arguments = std::make_shared<UiArguments>();
  command
      ->add_option("WHAT", arguments->what,
                   "Path, name or id of a run, or a folder of runs (default: --folder)")
      ->type_name("");
  command->add_option("--port", arguments->port, "Port (default: 4280; 0: any free port)")
      ->type_name("N")
      ->check(CLI::Range(0, 65535).description(""));
  command
      ->add_option("--host", arguments->host,
                   "Address to listen on (default: 127.0.0.1). Any other address requires the "
                   "token that the printed URL contains")
      ->type_name("HOST");
  command->add_flag("--open,!--no-open", arguments->open,
                    "Open the browser, if there is a desktop");
  AddPriceOption(command, session);
  AddFolderOption(command, session);
  command->callback([&session, arguments] {
    session.action = [&session, arguments] { return Ui(*arguments, session); };
  });
}

}  // namespace steptrace::cli
