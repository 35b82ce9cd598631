// SPDX-License-Identifier: Apache-2.0
#include "serve/http/peer.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstring>
#include <sstream>

#include "base/unique_fd.h"

namespace steptrace::http {
namespace {

constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
    "   0: 0100007F:10B8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1\n"
    "   1: 0100007F:D431 0100007F:10B8 01 00000000:00000000 00:00000000 00000000  1001        0 2\n"
    "   2: 0100007F:10B8 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 "
    "3\n";

std::optional<uid_t> Owner(const char* from, const char* to) {
  std::istringstream table(kTable);
  return OwnerInSocketTable(table, from, to);
}

TEST(Peer, IsWhoseSocketLeadsToOurs) {
  EXPECT_EQ(Owner("0100007F:D431", "0100007F:10B8"), 1001u);
  EXPECT_EQ(Owner("0100007F:10B8", "0100007F:D431"), 1000u);
  EXPECT_EQ(Owner("0100007F:D432", "0100007F:10B8"), std::nullopt);
  EXPECT_EQ(Owner("", ""), std::nullopt);
}

TEST(Peer, OfAConnectionOfOurOwnIsOurs) {
  const UniqueFd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listening.get(), generic, size), 0);
  ASSERT_EQ(::listen(listening.get(), 1), 0);
  ASSERT_EQ(::getsockname(listening.get(), generic, &size), 0);
  const UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), generic, size), 0);
  const UniqueFd server(::accept(listening.get(), nullptr, nullptr));
  EXPECT_TRUE(IsPeerOurs(server.get()));
  EXPECT_FALSE(IsPeerOurs(listening.get())) << "it has no other end";
}

TEST(Peer, OfNoSocketOfTheNetworkIsNobodys) {
  sockaddr_storage local{};
  local.ss_family = AF_UNIX;
  EXPECT_EQ(InSocketTable(local), "");
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_loopback;
  six.sin6_port = htons(4280);
  sockaddr_storage any{};
  std::memcpy(&any, &six, sizeof six);
  EXPECT_EQ(InSocketTable(any), "00000000000000000000000001000000:10B8");
}

}  // namespace
}  // namespace steptrace::http
