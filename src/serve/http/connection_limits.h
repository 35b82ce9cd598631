// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "serve/http/server_state.h"

// Who gives way where there is no room for another: connections are told apart by nothing but what
// they do, for on loopback all come from one address.
namespace steptrace::http {

// Room for one more connection. Where there is none, the one goes whose peer has been owed nothing
// for longest: it has not sent a whole request yet, or none since its last answer. Else one whose
// peer has taken nothing of its answer for `stall_time`. False: all are being answered.
bool MakeRoom(Shared& shared);

// Room for one more stream of events: the oldest goes. Its browser asks for another.
void MakeRoomForStream(Shared& shared);

// Whether what peers have not taken is over its limit.
bool TooMuchUnsent(const Shared& shared);
// Lets go of peers that take nothing, the slowest first, while that is so.
void LetGoOfStalled(Shared& shared);

}  // namespace steptrace::http
