// SPDX-License-Identifier: Apache-2.0
#include "cli/run_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/random_digits.h"
#include "base/redactor.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "store/run_files.h"

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNameBytes = 64;  // leaves room for the time in a path component
constexpr int kMaxRunsInOneSecond = 1000;

bool EndsWith(const std::string& text, const char* end) {
  const size_t length = strlen(end);
  return text.size() > length && text.compare(text.size() - length, length, end) == 0;
}

bool IsSafe(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

Error CannotMake(const fs::path& path, const char* cause, const char* option = "--output") {
  return Error{path.string() + ": " + cause, std::string("give another folder with ") + option};
}

// One that was there becomes as private as a new one. Where its owner is another, or the file
// system knows no permissions, it stays as it is.
void TakeOver(const fs::path& path, mode_t mode) {
  constexpr mode_t kAll = 0777;
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0 || (facts.st_mode & kAll & ~mode) == 0) return;
  (void)chmod(path.c_str(), facts.st_mode & 07777 & ~(kAll & ~mode));
}

Status MakeGivenFolder(const fs::path& path, mode_t mode) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return CannotMake(path.parent_path(), error.message().c_str());
  if (mkdir(path.c_str(), mode) != 0 && errno != EEXIST) return CannotMake(path, strerror(errno));
  if (!fs::is_directory(path, error)) return CannotMake(path, "is not a folder");
  if (!fs::is_empty(path, error) || error) return CannotMake(path, "is not empty");
  if (access(path.c_str(), W_OK | X_OK) != 0) return CannotMake(path, strerror(errno));
  // Two that found it empty at the same time: the one that makes its agent's log has it.
  UniqueFd log(
      open((path / kAgentLog).c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, FileModeOf(mode)));
  if (!log.valid() && errno == EEXIST) return CannotMake(path, "another run is recorded to it");
  if (!log.valid()) return CannotMake(path, strerror(errno));
  TakeOver(path, mode);
  return {};
}

Result<fs::path> MakeNewFolder(const fs::path& folder, const std::string& stem, mode_t mode) {
  constexpr const char* kOption = "--folder";
  if (const std::error_code error = store::MakeFolderOfRuns(folder, mode); error) {
    return CannotMake(folder, error.message().c_str(), kOption);
  }
  for (int i = 1; i <= kMaxRunsInOneSecond; ++i) {
    fs::path path = folder / (i == 1 ? stem : stem + "-" + std::to_string(i));
    if (mkdir(path.c_str(), mode) == 0) return path;
    if (errno != EEXIST) return CannotMake(path, strerror(errno), kOption);
  }
  return CannotMake(folder / stem, "too many runs of this name in this second", kOption);
}

}  // namespace

std::string NameOfCommand(const std::vector<std::string>& command) {
  for (size_t i = 1; i < command.size(); ++i) {
    if (command[i] == "-m" && i + 1 < command.size() && !command[i + 1].starts_with("torch.dis")) {
      return command[i + 1];
    }
    if (command[i] == "-c") break;
    if (EndsWith(command[i], ".py") || EndsWith(command[i], ".sh")) {
      return fs::path(command[i]).stem().string();
    }
  }
  return command.empty() ? "run" : fs::path(command[0]).filename().string();
}

std::string SafeName(const std::string& text) {
  std::string safe;
  for (char c : text.substr(0, kMaxNameBytes)) safe += IsSafe(c) ? c : '-';
  const size_t first = safe.find_first_not_of(".-");
  if (first == std::string::npos) return "run";
  return safe.substr(first);
}

std::string CompactUtc(int64_t utc_ns) {
  const time_t seconds = utc_ns / kNsPerSecond;
  struct tm parts {};
  gmtime_r(&seconds, &parts);
  char text[32];
  strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
  return text;
}

Result<RunFolder> MakeRunFolder(const RunOptions& options, int64_t utc_ns) {
  RunFolder run;
  const Redactor redactor(options.redact);
  run.name = options.name.empty() ? NameOfCommand(redactor.Words(options.command)) : options.name;
  const std::string stem = SafeName(run.name) + "-" + CompactUtc(utc_ns);
  if (!options.output.empty()) {
    run.shown = options.output;
    std::error_code error;
    fs::path absolute = fs::absolute(options.output, error).lexically_normal();
    if (!absolute.has_filename()) absolute = absolute.parent_path();
    STEPTRACE_RETURN_IF_ERROR(MakeGivenFolder(absolute, options.folder_mode));
    run.path = absolute;
    run.id = stem + "-" + RandomDigits();
    return run;
  }
  STEPTRACE_ASSIGN_OR_RETURN(run.shown, MakeNewFolder(options.folder, stem, options.folder_mode));
  std::error_code error;
  run.path = fs::absolute(run.shown, error).lexically_normal();
  run.id = run.path.filename().string() + "-" + RandomDigits();
  return run;
}

}  // namespace steptrace::cli
