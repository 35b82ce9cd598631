// SPDX-License-Identifier: Apache-2.0
#include "serve/http/room.h"

#include <chrono>

#include "serve/http/connection.h"

namespace steptrace::http {
namespace {

using Doing = Connection::Doing;

// Of those that do this the one that has moved least lately; null: there is none.
Connection* LongestAt(const Shared& shared, Doing doing) {
  Connection* longest = nullptr;
  for (Connection* one : shared.open) {
    if (one->doing() != doing) continue;
    if (longest == nullptr || one->moved_at() < longest->moved_at()) longest = one;
  }
  return longest;
}

}  // namespace

bool MakeRoom(Shared& shared) {
  if (shared.open.size() < shared.options.connections) return true;
  Connection* leaves = LongestAt(shared, Doing::kReading);
  if (leaves == nullptr) {
    leaves = LongestAt(shared, Doing::kSending);
    const auto stalled_at = std::chrono::steady_clock::now() - shared.options.stall_time;
    if (leaves == nullptr || leaves->moved_at() > stalled_at) return false;
  }
  leaves->Close();
  return true;
}

void MakeRoomForStream(Shared& shared) {
  if (shared.open_streams < shared.options.streams) return;
  if (Connection* oldest = LongestAt(shared, Doing::kStreaming)) oldest->Close();
}

}  // namespace steptrace::http
