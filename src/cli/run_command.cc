// SPDX-License-Identifier: Apache-2.0
#include "cli/run_command.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "agent/run/shebang.h"
#include "base/unique_fd.h"

namespace steptrace::cli {
namespace {

constexpr const char* kDefaultPath = "/bin:/usr/bin";  // what execvp takes where PATH is unset

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What `path` needs to be started and does not find; empty: nothing that can be told.
std::string MissingLoader(const std::string& path) {
  const std::string head = agent::FirstBytes(path);
  if (head.starts_with("\x7f"
                       "ELF")) {
    return "its loader is missing: it was built for another system; install one built for this";
  }
  const auto line = agent::InterpreterLineIn(head);
  if (!line) return {};
  const std::string& interpreter = line->interpreter;
  if (access(interpreter.c_str(), F_OK) == 0) {
    return "its interpreter " + interpreter +
           " cannot be started; fix it or correct the first line of the script";
  }
  if (interpreter.ends_with('\r')) {
    return "its interpreter " + interpreter +
           " does not exist: its lines end as on Windows; convert them (dos2unix)";
  }
  return "its interpreter " + interpreter +
         " does not exist; install it or correct the first line of the script";
}

// 0, or the errno that executing this file would give.
int TryFile(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

// `found`: where it is, unless there is an error.
int TryPath(const std::string& program, std::string& found) {
  const char* variable = getenv("PATH");
  const std::string path = variable != nullptr ? variable : kDefaultPath;
  int worst = ENOENT;
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = path.find(':', begin);
    if (end == std::string::npos) end = path.size();
    const std::string folder = end == begin ? "." : path.substr(begin, end - begin);
    const int error = TryFile(folder + "/" + program);
    if (error == 0) found = folder + "/" + program;
    if (error == 0) return 0;
    if (error == EACCES) worst = EACCES;
    begin = end + 1;
  }
  return worst;
}

// Where the program is that a shell would start, or why there is none.
int FindProgram(const std::string& program, std::string& found) {
  if (program.empty()) return ENOENT;
  if (program.find('/') == std::string::npos) return TryPath(program, found);
  found = program;
  return TryFile(program);
}

}  // namespace

StartFailure DescribeExecError(const std::string& program, int error_number) {
  StartFailure failure;
  if (error_number == ENOENT || error_number == ENOTDIR) {
    // The program itself may be there.
    std::string found;
    const std::string missing = FindProgram(program, found) == 0 ? MissingLoader(found) : "";
    failure.error = missing.empty()
                        ? Error{program + ": command not found", "check its name or give its path"}
                        : Error{program + ": " + missing};
    return failure;
  }
  failure.exit_status = kExitNotExecutable;
  failure.error = {program + ": " + strerror(error_number),
                   "it must be a program that you may execute"};
  return failure;
}

StartFailure CheckProgram(const std::string& program) {
  std::string ignored;
  const int error = FindProgram(program, ignored);
  if (error != 0) return DescribeExecError(program.empty() ? "''" : program, error);
  StartFailure found;
  found.exit_status = 0;
  return found;
}

StartFailure ExecCommand(const std::vector<std::string>& command,
                         const std::vector<std::string>& environment) {
  std::vector<char*> arguments = Pointers(command);
  std::vector<char*> entries = Pointers(environment);
  execvpe(arguments[0], arguments.data(), entries.data());
  return DescribeExecError(command[0], errno);
}

namespace {

StartedCommand NotTried(const std::string& program) {
  StartedCommand started;
  started.failure = DescribeExecError(program, errno);
  started.failure.before_exec = true;
  return started;
}

}  // namespace

StartedCommand StartCommand(const std::vector<std::string>& command,
                            const std::vector<std::string>& environment, RunSignals& signals) {
  StartedCommand started;
  int ends[2], go[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return NotTried(command[0]);
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  if (pipe2(go, O_CLOEXEC) != 0) return NotTried(command[0]);
  UniqueFd go_read(go[0]);
  UniqueFd go_write(go[1]);
  std::vector<char*> arguments = Pointers(command);
  std::vector<char*> entries = Pointers(environment);
  const pid_t pid = fork();
  if (pid == 0) {
    go_write.reset();
    char byte;
    while (read(go_read.get(), &byte, 1) < 0 && errno == EINTR) {
    }
    signals.RestoreForExec();
    execvpe(arguments[0], arguments.data(), entries.data());
    const int error = errno;
    if (write(write_end.get(), &error, sizeof error) != sizeof error) _exit(kExitNotExecutable);
    _exit(kExitNotFound);
  }
  if (pid < 0) return NotTried(command[0]);
  // What came before the command was there is for it too. It still blocks all: what reached both of
  // us is pending there, and stays one.
  while (auto taken = signals.Take()) {
    if (taken->signal != SIGCHLD && taken->signal != SIGCONT) kill(pid, taken->signal);
  }
  go_write.reset();
  write_end.reset();
  int error = 0;
  ssize_t count;
  do {
    count = read(read_end.get(), &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  if (count == sizeof error) {
    waitpid(pid, nullptr, 0);
    started.failure = DescribeExecError(command[0], error);
    return started;
  }
  started.pid = pid;
  return started;
}

}  // namespace steptrace::cli
