// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/trace_intake.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "base/inherited_mode.h"
#include "base/unique_fd.h"

extern char** environ;

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

// 100 steps of a large model with stacks are some 100 MB; the import refuses over 1 GiB anyway.
constexpr off_t kMaxTraceBytes = 1 << 30;
constexpr int kMostEntries = 10'000;  // looked at in one go

bool IsPlainFile(const fs::path& path, off_t* bytes) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  *bytes = info.st_size;
  return info.st_uid == geteuid();
}

// A file of the training has the permissions that its umask left; here it stays.
void KeepTo(const fs::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd.valid()) (void)::fchmod(fd.get(), FileModeAt(file));
}

}  // namespace

std::optional<TraceName> ParseTraceName(std::string_view name) {
  TraceName parsed;
  const auto take = [&name](int32_t* number, std::string_view after) {
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), *number);
    if (error != std::errc() || *number <= 0) return false;
    name.remove_prefix(static_cast<size_t>(end - name.data()));
    if (!name.starts_with(after)) return false;
    name.remove_prefix(after.size());
    return true;
  };
  if (!take(&parsed.pid, "-") || !take(&parsed.number, ".json")) return std::nullopt;
  parsed.partial = name == ".partial" || name == ".partial.tmp";
  if (!name.empty() && !parsed.partial) return std::nullopt;
  return parsed;
}

TraceIntake::TraceIntake(fs::path run_dir, fs::path executable, bool keep)
    : folder_(std::move(run_dir) / kProfilesName),
      executable_(std::move(executable)),
      keep_(keep) {}

TraceIntake::~TraceIntake() {
  if (!importing_ || importing_->wait_status) return;
  kill(importing_->process, SIGKILL);
  waitpid(importing_->process, nullptr, 0);
}

void TraceIntake::Poll(bool partial_too) {
  if (!importing_) return Check(partial_too);
  int status = 0;
  if (!importing_->wait_status && waitpid(importing_->process, &status, WNOHANG) != 0) {
    importing_->wait_status = status;
  }
}

// Rests while the folder has not changed: a look is then one call of the system.
void TraceIntake::Check(bool partial_too) {
  struct stat info {};
  if (lstat(folder_.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return;
  const int64_t changed_ns = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
  if (changed_ns == folder_changed_ns_ && !partial_too) return;
  std::vector<std::pair<TraceName, fs::path>> files;
  std::error_code error;
  int entries = 0;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++entries > kMostEntries) break;
    const auto name = ParseTraceName(entry->path().filename().string());
    if (!name || (name->partial && !partial_too)) continue;
    off_t bytes = 0;
    if (!IsPlainFile(entry->path(), &bytes) || bytes > kMaxTraceBytes) continue;
    files.emplace_back(*name, entry->path());
  }
  waits_ = !files.empty();
  if (files.empty()) {
    folder_changed_ns_ = changed_ns;
    return;
  }
  const auto first = std::ranges::min_element(
      files, {}, [](const auto& file) { return std::tuple(file.first.number, file.first.pid); });
  Begin(first->first, first->second);
}

void TraceIntake::Begin(const TraceName& name, const fs::path& file) {
  Importing importing;
  importing.name = name;
  importing.file = file;
  importing.run = folder_ / fmt::format("{}-{}.run", name.pid, name.number);
  std::error_code ignored;
  fs::remove_all(importing.run, ignored);  // of an agent before this one
  std::vector<std::string> words = {executable_.string(), "import", file.string(), "-o",
                                    importing.run.string()};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  const int failed = posix_spawn(&importing.process, executable_.c_str(), &actions, nullptr,
                                 arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) importing.wait_status = 127 << 8;
  importing_ = std::move(importing);
}

void TraceIntake::RemoveFolder() {
  std::error_code ignored;
  fs::remove(folder_, ignored);  // only if nothing is in it
}

std::optional<TraceIntake::Imported> TraceIntake::TakeImported() {
  if (!importing_ || !importing_->wait_status || importing_->taken) return std::nullopt;
  importing_->taken = true;
  Imported imported{importing_->name, importing_->run, {}};
  const int status = *importing_->wait_status;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    imported.failed =
        fmt::format("{}: it could not be imported (agent.log says why); the file stays",
                    importing_->file.string());
  }
  return imported;
}

void TraceIntake::Settle(const Imported& imported, bool merged) {
  if (!importing_) return;
  std::error_code ignored;
  fs::remove_all(imported.run, ignored);
  const fs::path file = importing_->file;
  if (merged && !keep_) {
    fs::remove(file, ignored);
  } else {
    // By another name: this one has been looked at.
    const std::string name = (merged ? "kept-" : "refused-") + file.filename().string();
    KeepTo(file);
    fs::rename(file, folder_ / name, ignored);
  }
  importing_.reset();
  folder_changed_ns_ = 0;
}

}  // namespace steptrace::agent
