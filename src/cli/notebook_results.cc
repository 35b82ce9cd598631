// SPDX-License-Identifier: Apache-2.0
#include "cli/notebook_results.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "cli/package_dir.h"

extern char** environ;

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNotebookExecutable = "STEPTRACE_EXECUTABLE";
// The package by its own folder, whatever else lies next to it; and nothing from the folder that
// the notebook goes to.
constexpr const char* kNotebookProgram = R"(
import sys
sys.path[:] = [path for path in sys.path if path]
import importlib.util
import os
folder = sys.argv[1]
os.chdir(sys.argv[2])
spec = importlib.util.spec_from_file_location(
    "steptrace", folder + "/__init__.py", submodule_search_locations=[folder])
module = importlib.util.module_from_spec(spec)
sys.modules["steptrace"] = module
spec.loader.exec_module(module)
from steptrace import _notebook
_notebook.main()
)";

// Of the package's environment: <prefix>/lib/python3.12/site-packages/steptrace; of the command as
// it was called, which may be a link; of the shell.
std::vector<fs::path> PythonCandidates(const fs::path& package) {
  std::vector<fs::path> candidates;
  const fs::path version = package.parent_path().parent_path();
  if (version.filename().string().starts_with("python3")) {
    candidates.push_back(version.parent_path().parent_path() / "bin" / version.filename());
  }
  if (const auto called = getauxval(AT_EXECFN); called != 0) {
    candidates.push_back(fs::path(reinterpret_cast<const char*>(called)).parent_path() / "python3");
  }
  if (const char* environment = std::getenv("VIRTUAL_ENV")) {
    candidates.push_back(fs::path(environment) / "bin" / "python3");
  }
  std::string_view left = std::getenv("PATH") ? std::getenv("PATH") : "";
  while (!left.empty()) {
    const size_t end = std::min(left.find(':'), left.size());
    candidates.push_back(fs::path(left.substr(0, end)) / "python3");
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return candidates;
}

fs::path PythonFor(const fs::path& package) {
  for (const fs::path& candidate : PythonCandidates(package)) {
    if (candidate.is_absolute() && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

// A file without a name that holds it, to be read from its begin.
UniqueFd NotebookInput(std::string_view text) {
  UniqueFd file(memfd_create("steptrace-notebook", MFD_CLOEXEC));
  while (file.valid() && !text.empty()) {
    const ssize_t written = write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return {};
    text.remove_prefix(static_cast<size_t>(written));
  }
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string ReadNotebook(int fd) {
  std::string text;
  std::array<char, 1 << 16> block;
  for (;;) {
    const ssize_t got = read(fd, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(block.data(), static_cast<size_t>(got));
  }
}

// This environment, but the package asks this very executable.
std::vector<std::string> NotebookEnvironment() {
  std::vector<std::string> all;
  const std::string own = std::string(kNotebookExecutable) + "=";
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with(own)) all.emplace_back(*variable);
  }
  all.push_back(own + ExecutablePath().string());
  return all;
}

std::vector<char*> NotebookPointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// What the program prints of that input; an error where it cannot be started, or fails.
Result<std::string> NotebookAnswer(std::vector<std::string> words, std::string_view input) {
  const UniqueFd given = NotebookInput(input);
  int ends[2];
  if (!given.valid() || pipe2(ends, O_CLOEXEC) != 0) return Error{"no memory for the notebook"};
  UniqueFd answer(ends[0]);
  UniqueFd written(ends[1]);
  std::vector<std::string> environment = NotebookEnvironment();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, given.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, written.get(), 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const std::string program = words.front();
  const int failed =
      posix_spawn(&child, program.c_str(), &actions, nullptr, NotebookPointers(words).data(),
                  NotebookPointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return Error{program + " cannot be started"};
  written.reset();
  std::string text = ReadNotebook(answer.get());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return Error{program + " failed"};
  return text;
}

}  // namespace

FilledNotebook WithResults(const std::string& notebook, const fs::path& folder) {
  const auto package = PackageDir();
  if (!package.ok()) return {notebook, package.error().text()};
  const fs::path python = PythonFor(*package);
  if (python.empty()) return {notebook, "there is no python3 on PATH"};
  const auto answer = NotebookAnswer(
      {python.string(), "-c", kNotebookProgram, package->string(), fs::absolute(folder).string()},
      notebook);
  if (!answer.ok()) return {notebook, answer.error().text()};
  auto filled = nlohmann::ordered_json::parse(*answer, nullptr, /*allow_exceptions=*/false);
  if (!filled.is_object() || !filled.contains("notebook")) {
    return {notebook, python.string() + " gave no notebook"};
  }
  return {filled["notebook"].dump(1) + "\n", filled.value("complaint", "")};
}

}  // namespace steptrace::cli
