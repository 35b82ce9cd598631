// SPDX-License-Identifier: Apache-2.0
#include "agent/run/shebang.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "base/unique_fd.h"

namespace steptrace::agent {
namespace {

constexpr size_t kFirstBytes = 256;  // the kernel looks no further
constexpr std::string_view kBlank = " \t";
constexpr std::string_view kLineEnds("\n\0", 2);

// As execvp() finds it; empty: nowhere.
std::string FileOf(const std::string& program, const std::string& search) {
  if (program.find('/') != std::string::npos) return program;
  for (size_t begin = 0; begin <= search.size();) {
    const size_t end = std::min(search.find(':', begin), search.size());
    const std::string folder = search.substr(begin, end - begin);
    const std::string path = (folder.empty() ? "." : folder) + "/" + program;
    struct stat info {};
    const bool is_file = stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
    if (is_file && access(path.c_str(), X_OK) == 0) return path;
    begin = end + 1;
  }
  return "";
}

// Whether what an option of `env` is about is the next word: -u NAME, also in a bundle, --chdir
// DIR.
bool TakesNextWord(const std::string& option) {
  if (option.starts_with("--")) {
    return option == "--unset" || option == "--chdir" || option == "--argv0";
  }
  const size_t at = option.find_first_of("uCaS", 1);
  return at != std::string::npos && option[at] != 'S' && at + 1 == option.size();
}

// The program that `env` executes, with its arguments. Only -S makes several words of the option.
std::vector<std::string> PastEnv(const std::string& option) {
  std::vector<std::string> words;
  if (!option.starts_with('-')) {
    if (!option.empty() && option.find('=') == std::string::npos) words.push_back(option);
    return words;
  }
  std::istringstream text(option);
  std::string word;
  while (text >> word) {
    if (!words.empty()) {
      words.push_back(word);
    } else if (word[0] == '-') {
      if (TakesNextWord(word)) text >> word;
    } else if (word.find('=') == std::string::npos) {
      words.push_back(word);
    }
  }
  return words;
}

}  // namespace

std::string FirstBytes(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!file.valid() || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  char buffer[kFirstBytes];
  const ssize_t count = read(file.get(), buffer, sizeof buffer);
  return count > 0 ? std::string(buffer, static_cast<size_t>(count)) : "";
}

std::optional<InterpreterLine> InterpreterLineIn(std::string_view first_bytes) {
  if (!first_bytes.starts_with("#!")) return std::nullopt;
  const size_t line_end = first_bytes.find_first_of(kLineEnds);
  std::string_view line = first_bytes.substr(2, line_end - 2);
  const size_t begin = line.find_first_not_of(kBlank);
  if (begin == line.npos) return std::nullopt;
  // A name that may go on behind what the kernel sees is none to it.
  const bool is_whole = line_end != line.npos || first_bytes.size() < kFirstBytes;
  if (!is_whole && line.find_first_of(kBlank, begin) == line.npos) return std::nullopt;
  line = line.substr(begin, line.find_last_not_of(kBlank) + 1 - begin);
  const size_t end = line.find_first_of(kBlank);
  InterpreterLine found{std::string(line.substr(0, end)), ""};
  if (end != line.npos) found.option = line.substr(line.find_first_not_of(kBlank, end));
  return found;
}

std::vector<std::string> ThroughInterpreter(const std::vector<std::string>& command,
                                            const std::string& search) {
  if (command.empty()) return command;
  const std::string path = FileOf(command[0], search);
  const auto line = InterpreterLineIn(path.empty() ? "" : FirstBytes(path));
  if (!line) return command;
  const auto& [program, option] = *line;
  std::vector<std::string> arguments = {program};
  if (!option.empty()) arguments.push_back(option);
  if (program == "env" || program.ends_with("/env")) {
    arguments = PastEnv(option);
    if (arguments.empty()) return command;
  }
  arguments.push_back(path);
  arguments.insert(arguments.end(), command.begin() + 1, command.end());
  return arguments;
}

}  // namespace steptrace::agent
