// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steptrace::http {

// A field of a header: how often it is there, and its first value. One that is empty is there.
struct HeaderField {
  size_t count = 0;
  std::string_view value;
};

// What of a request's header decides whether it may be answered.
struct Credentials {
  HeaderField host;
  HeaderField origin;
  HeaderField fetch_site;   // Sec-Fetch-Site
  std::string_view cookie;  // empty: absent
  std::string_view query_token;
};

enum class Entry {
  kOpen,
  kOpenWithToken,  // by the token in its address: a cookie takes over
  kRepeated,       // a field that decides stands there more than once: whose is it?
  kForeignHost,    // a name that is not ours: DNS rebinding
  kForeignOrigin,  // a page of somebody else asks
  kNoToken,
};

// Who may ask. On loopback every process of the machine may; on any other address who has the
// token. Pages of other sites may not in either case.
class Gate {
 public:
  // `token`: empty on loopback. `names`: hosts by which the server may be called besides addresses
  // of numbers and localhost, which no foreign page can have.
  Gate(std::string token, std::string name) : token_(std::move(token)), name_(std::move(name)) {}

  Entry Check(const Credentials& given, bool is_api) const;
  const std::string& token() const { return token_; }
  std::string CookieHeader() const;

 private:
  bool IsOurHost(std::string_view host) const;
  bool HasToken(std::string_view cookie) const;

  std::string token_;
  std::string name_;
};

// 128 random bits as hexadecimal digits.
std::string MakeToken();
// Takes the same time wherever they differ.
bool SameInConstantTime(std::string_view a, std::string_view b);
bool IsLoopback(std::string_view address);

}  // namespace steptrace::http
