// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

// For tests: Pythons that run a given program until they are killed.
namespace steptrace::testing {

// The interpreters 3.`minor` of this machine.
inline std::vector<std::string> Pythons(int minor) {
  const std::string name = "python3." + std::to_string(minor);
  const char* home = getenv("HOME");
  const std::string versions = std::string(home != nullptr ? home : "/root") +
                               "/.pyenv/versions/3." + std::to_string(minor) + ".*/bin/" + name;
  std::vector<std::string> found;
  for (const std::string& pattern : {"/usr/bin/" + name, versions}) {
    glob_t matches{};
    if (glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
      found.insert(found.end(), matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
    }
    globfree(&matches);
  }
  return found;
}

// Runs `program` (Python source), which prints a line when it is where the test wants it.
class PythonChild {
 public:
  PythonChild(const std::string& python, const std::string& program) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) abort();
    pid_ = fork();
    if (pid_ < 0) abort();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(ends[1], 1);
      execl(python.c_str(), python.c_str(), "-c", program.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    close(ends[1]);
    out_ = ends[0];
    WaitForLine();
  }
  ~PythonChild() {
    Kill();
    close(out_);
  }
  PythonChild(const PythonChild&) = delete;
  PythonChild& operator=(const PythonChild&) = delete;

  int32_t pid() const { return pid_; }
  void WaitForLine() {
    char byte = 0;
    while (read(out_, &byte, 1) == 1 && byte != '\n') {
    }
  }
  void Kill() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
  int out_ = -1;
};

}  // namespace steptrace::testing
