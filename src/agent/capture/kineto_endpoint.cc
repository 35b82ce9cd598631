// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/kineto_endpoint.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSocketName = "dynolog";  // what libkineto asks for
constexpr const char* kFolderPrefix = "kineto-";
constexpr std::string_view kClientPrefix = "dynoconfigclient";
constexpr size_t kClientBytes = kClientPrefix.size() + 36;  // with a UUID

Result<sockaddr_un> AddressOf(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path) return Error{text + ": too long for a socket"};
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

// Nobody holds its socket: who made it was killed.
bool IsDeserted(const fs::path& folder) {
  const auto address = AddressOf(folder / kSocketName);
  const UniqueFd probe(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!address.ok() || !probe.valid()) return false;
  return connect(probe.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 &&
         errno == ECONNREFUSED;
}

void RemoveDeserted(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const bool ours = entry->path().filename().string().starts_with(kFolderPrefix);
    if (ours && IsDeserted(entry->path())) RemoveKinetoFolder(entry->path());
  }
}

}  // namespace

Result<KinetoFolder> MakeKinetoFolder(const fs::path& parent) {
  RemoveDeserted(parent);
  std::string name = (parent / (std::string(kFolderPrefix) + "XXXXXX")).string();
  if (name.size() + 1 + kClientBytes >= sizeof(sockaddr_un::sun_path)) {
    return Error{fmt::format("{}: too long for sockets", parent.string()),
                 "name a shorter folder in memory with --shm"};
  }
  if (mkdtemp(name.data()) == nullptr) {
    return Error{fmt::format("{}: {}", parent.string(), strerror(errno))};
  }
  KinetoFolder folder{name,
                      UniqueFd(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))};
  const int on = 1;
  STEPTRACE_ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(folder.path / kSocketName));
  if (!folder.socket.valid() ||
      setsockopt(folder.socket.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
      bind(folder.socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    Error error{fmt::format("{}: {}", name, strerror(errno))};
    RemoveKinetoFolder(folder.path);
    return error;
  }
  return folder;
}

void RemoveKinetoFolder(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name == kSocketName || name.starts_with(kClientPrefix)) unlink(entry->path().c_str());
  }
  rmdir(folder.c_str());
}

KinetoEndpoint::KinetoEndpoint(UniqueFd socket, fs::path folder)
    : socket_(std::move(socket)), clients_((folder / kClientPrefix).string()) {}

void KinetoEndpoint::Poll(int64_t now_ns) {
  for (int i = 0; i < kMostMessages && TakeOne(now_ns); ++i) {
  }
  Forget(now_ns);
}

void KinetoEndpoint::Forget(int64_t now_ns) {
  std::erase_if(processes_,
                [&](const auto& entry) { return now_ns - entry.second.seen_ns > kForgottenNs; });
}

bool KinetoEndpoint::TakeOne(int64_t now_ns) {
  char bytes[kMaxKinetoMessageBytes + 1];
  // Room for the sender and for descriptors that nobody asked for, which the kernel then drops.
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  sockaddr_storage from{};
  iovec place{bytes, sizeof bytes};
  msghdr header{};
  header.msg_name = &from;
  header.msg_namelen = sizeof from;
  header.msg_iov = &place;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t size = recvmsg(socket_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (size < 0) return errno == EINTR;
  ucred sender{};
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_CREDENTIALS) {
      std::memcpy(&sender, CMSG_DATA(part), sizeof sender);
    }
  }
  const auto message = ParseKinetoMessage({bytes, static_cast<size_t>(size)});
  if (!message || (header.msg_flags & MSG_TRUNC) != 0) {
    ++refused_.damaged;
  } else if (sender.uid != geteuid() || sender.pid != message->pids[0] ||
             !IsOfFolder(from, header.msg_namelen)) {
    ++refused_.strangers;
  } else {
    Answer(*message, from, header.msg_namelen, now_ns);
  }
  return true;
}

// An answer goes nowhere else.
bool KinetoEndpoint::IsOfFolder(const sockaddr_storage& from, socklen_t bytes) const {
  if (from.ss_family != AF_UNIX || bytes <= offsetof(sockaddr_un, sun_path)) return false;
  const auto& address = reinterpret_cast<const sockaddr_un&>(from);
  const size_t room = bytes - offsetof(sockaddr_un, sun_path);
  const std::string_view path(address.sun_path, strnlen(address.sun_path, room));
  return path.starts_with(clients_) && path.find('/', clients_.size()) == std::string_view::npos;
}

void KinetoEndpoint::Answer(const KinetoMessage& message, const sockaddr_storage& from,
                            socklen_t bytes, int64_t now_ns) {
  const int32_t pid = message.pids[0];
  auto found = processes_.find(pid);
  if (found == processes_.end()) {
    if (processes_.size() >= kMaxProcesses) {
      ++refused_.too_many;
    } else {
      found = processes_.try_emplace(pid).first;
    }
  }
  std::string reply;
  bool hands_out = false;
  if (!message.request) {
    reply = KinetoContextReply(static_cast<int32_t>(processes_.size()));
  } else if (found == processes_.end()) {
    reply = KinetoConfigReply("");
  } else {
    Process& process = found->second;
    process.idle = message.idle;
    if (process.ended_ns > 0 && now_ns - process.ended_ns > kEndsNs) process.ours = false;
    if (!message.idle && !process.ours) process.profiles_itself = true;
    hands_out = message.idle && !process.profiles_itself && !process.config.empty();
    reply = KinetoConfigReply(hands_out ? process.config : "");
  }
  const ssize_t sent =
      sendto(socket_.get(), reply.data(), reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&from), bytes);
  if (found == processes_.end()) return;
  found->second.seen_ns = now_ns;
  // One that did not reach it is kept for its next request.
  if (!hands_out || sent != static_cast<ssize_t>(reply.size())) return;
  found->second.config.clear();
  found->second.handed_out_ns = now_ns;
  found->second.ours = true;
  found->second.ended_ns = 0;
}

bool KinetoEndpoint::SetConfig(int32_t pid, std::string config) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return false;
  found->second.config = std::move(config);
  found->second.handed_out_ns = 0;
  return true;
}

void KinetoEndpoint::NoteEnded(int32_t pid, int64_t now_ns) {
  if (const auto found = processes_.find(pid); found != processes_.end())
    found->second.ended_ns = now_ns;
}

void KinetoEndpoint::ClearConfig(int32_t pid) {
  if (const auto found = processes_.find(pid); found != processes_.end())
    found->second.config.clear();
}

}  // namespace steptrace::agent
