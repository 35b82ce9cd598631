// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/capture/kineto_messages.h"
#include "base/result.h"
#include "base/unique_fd.h"

// The endpoint that libkineto asks every 5 s whether it should take a trace, in a process that was
// started with KINETO_USE_DAEMON and this folder in KINETO_IPC_SOCKET_DIR.
namespace steptrace::agent {

// A private folder (0700) with the socket; its path is short, for libkineto puts sockets with long
// names beside ours. It has to be bound by the very path that the variable has: libkineto ends its
// process when an answer comes from another.
struct KinetoFolder {
  std::filesystem::path path;
  UniqueFd socket;
};

// Makes one in `parent`, a private folder of this user's, where it also removes those that nobody
// listens in any more.
Result<KinetoFolder> MakeKinetoFolder(const std::filesystem::path& parent);
void RemoveKinetoFolder(const std::filesystem::path& folder);

// Answers at once, with nothing unless there is a configuration for the process. The launcher holds
// the socket too, and answers when the agent is gone: a client that reaches nobody tries for
// seconds, also at its process's end. What comes is taken as sent by an enemy: the kernel says who
// sent it, sizes are checked, tables are bounded. Never blocks. One thread.
class KinetoEndpoint {
 public:
  KinetoEndpoint(UniqueFd socket, std::filesystem::path folder);

  struct Process {
    bool idle = false;  // takes no trace now
    int64_t seen_ns = 0;
    std::string config;         // to be handed out with its next request
    int64_t handed_out_ns = 0;  // when the last one was
    bool ours = false;          // a trace that it takes may be the one that was handed out
    int64_t ended_ns = 0;       // when that was over
    // It took a trace that nobody here had asked for: its script uses PyTorch's profiler.
    bool profiles_itself = false;
  };
  static constexpr size_t kMaxProcesses = 4096;
  static constexpr int64_t kForgottenNs = 60'000'000'000;  // without a request
  // A trace's file is whole a moment before Kineto is idle again.
  static constexpr int64_t kEndsNs = 10'000'000'000;

  int fd() const { return socket_.get(); }
  // Takes what has come, so much at most that the caller's other work goes on.
  void Poll(int64_t now_ns);

  const std::map<int32_t, Process>& processes() const { return processes_; }
  // False: no such process.
  bool SetConfig(int32_t pid, std::string config);
  void ClearConfig(int32_t pid);
  // The trace that was handed out to it has come.
  void NoteEnded(int32_t pid, int64_t now_ns);

  struct Refused {
    int64_t damaged = 0;    // not a message of the protocol
    int64_t strangers = 0;  // another user, another process's number, an address outside the folder
    int64_t too_many = 0;   // no room in the table
  };
  const Refused& refused() const { return refused_; }

 private:
  static constexpr int kMostMessages = 256;  // a turn

  bool TakeOne(int64_t now_ns);
  void Answer(const KinetoMessage& message, const sockaddr_storage& from, socklen_t bytes,
              int64_t now_ns);
  bool IsOfFolder(const sockaddr_storage& from, socklen_t bytes) const;
  void Forget(int64_t now_ns);

  UniqueFd socket_;
  std::string clients_;  // what their addresses begin with
  std::map<int32_t, Process> processes_;
  Refused refused_;
};

}  // namespace steptrace::agent
