// SPDX-License-Identifier: Apache-2.0
#include "serve/http/connection_limits.h"

#include <algorithm>
#include <chrono>

#include "serve/http/open_connection.h"

namespace steptrace::http {
namespace {

using Doing = OpenConnection::Doing;

// Of those that do this the one that has moved least lately; null: there is none.
OpenConnection* LongestAt(const Shared& shared, Doing doing) {
  OpenConnection* longest = nullptr;
  for (OpenConnection* one : shared.open) {
    if (one->doing() != doing) continue;
    if (longest == nullptr || one->moved_at() < longest->moved_at()) longest = one;
  }
  return longest;
}

}  // namespace

bool MakeRoom(Shared& shared) {
  if (shared.open.size() < shared.options.connections) return true;
  OpenConnection* leaves = LongestAt(shared, Doing::kReading);
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
  if (OpenConnection* oldest = LongestAt(shared, Doing::kStreaming)) oldest->Close();
}

bool TooMuchUnsent(const Shared& shared) {
  return shared.unsent_bytes > shared.options.unsent_bytes ||
         shared.unsent_file_bytes > shared.options.unsent_file_bytes;
}

void LetGoOfStalled(Shared& shared) {
  const auto stalled_at = std::chrono::steady_clock::now() - shared.options.stall_time;
  while (TooMuchUnsent(shared) && !shared.senders.empty()) {
    OpenConnection* slowest =
        *std::min_element(shared.senders.begin(), shared.senders.end(),
                          [](const OpenConnection* a, const OpenConnection* b) {
                            return a->moved_at() < b->moved_at();
                          });
    if (slowest->moved_at() > stalled_at) return;
    slowest->Close();
  }
}

}  // namespace steptrace::http
