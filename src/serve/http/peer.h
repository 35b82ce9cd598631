// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <istream>
#include <optional>
#include <string>

namespace steptrace::http {

// A socket's address as the kernel's table of sockets has it; empty: it is of no such family.
std::string InSocketTable(const sockaddr_storage& address);

// Whose socket that is which leads from one address to the other; nothing: the table has none.
std::optional<uid_t> OwnerInSocketTable(std::istream& table, const std::string& from,
                                        const std::string& to);

// Whether the other end of a connection within this machine belongs to this user, or to root.
bool IsPeerOurs(int socket);

}  // namespace steptrace::http
