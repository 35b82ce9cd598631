// SPDX-License-Identifier: Apache-2.0
#include "serve/http/gate.h"

#include <sys/random.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace steptrace::http {
namespace {

constexpr std::string_view kCookie = "steptrace-token=";

// host[:port], [v6][:port] without the port; empty: malformed.
std::string_view WithoutPort(std::string_view host) {
  size_t end = host.find(':');
  if (host.starts_with('[')) {
    end = host.find(']');
    if (end == std::string_view::npos) return {};
    ++end;
  }
  const std::string_view port = end == std::string_view::npos ? "" : host.substr(end);
  const bool digits = std::all_of(port.begin() + (port.empty() ? 0 : 1), port.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  if (!port.empty() && (port.front() != ':' || !digits)) return {};
  return host.substr(0, end);
}

bool SameName(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) ==
                  std::tolower(static_cast<unsigned char>(y));
         });
}

// An address in numbers: nobody's name server can make it point elsewhere.
bool IsNumeric(std::string_view host) {
  if (host.starts_with('[')) return true;
  const size_t dots = static_cast<size_t>(std::count(host.begin(), host.end(), '.'));
  return dots == 3 && std::all_of(host.begin(), host.end(),
                                  [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

}  // namespace

bool Gate::IsOurHost(std::string_view given) const {
  const std::string_view host = WithoutPort(given);
  if (host.empty()) return false;
  if (SameName(host, "localhost") || host == "127.0.0.1" || host == "[::1]") return true;
  if (token_.empty()) return false;
  if (IsNumeric(host)) return true;
  // The machine's own name, also as the first part of a longer one.
  return !name_.empty() &&
         (SameName(host, name_) || (host.size() > name_.size() && host[name_.size()] == '.' &&
                                    SameName(host.substr(0, name_.size()), name_)));
}

bool Gate::HasToken(std::string_view cookies) const {
  while (!cookies.empty()) {
    const size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view one = cookies.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(kCookie) && SameInConstantTime(one.substr(kCookie.size()), token_)) {
      return true;
    }
    cookies.remove_prefix(std::min(cookies.size(), end + 1));
  }
  return false;
}

Entry Gate::Check(const Credentials& given, bool is_api) const {
  if (given.host.count > 1 || given.origin.count > 1 || given.fetch_site.count > 1) {
    return Entry::kRepeated;
  }
  if (!IsOurHost(given.host.value)) return Entry::kForeignHost;
  constexpr std::string_view kScheme = "http://";
  const std::string_view origin = given.origin.value;
  if (given.origin.count > 0 && (!origin.starts_with(kScheme) ||
                                 !SameName(origin.substr(kScheme.size()), given.host.value))) {
    return Entry::kForeignOrigin;
  }
  // A link from elsewhere may open a page; data is for our own pages alone, and for programs, which
  // send no such field.
  const std::string_view site = given.fetch_site.value;
  const bool ours = given.fetch_site.count == 0 || site == "same-origin" || site == "none";
  if (is_api && !ours) return Entry::kForeignOrigin;
  if (token_.empty() || HasToken(given.cookie)) return Entry::kOpen;
  return SameInConstantTime(given.query_token, token_) ? Entry::kOpenWithToken : Entry::kNoToken;
}

std::string Gate::CookieHeader() const {
  return std::string(kCookie) + token_ + "; HttpOnly; SameSite=Strict; Path=/";
}

std::string MakeToken() {
  unsigned char bytes[16];
  // Without randomness there is no token worth the name.
  if (::getrandom(bytes, sizeof(bytes), 0) != static_cast<ssize_t>(sizeof(bytes))) std::abort();
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

bool SameInConstantTime(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    different |= static_cast<unsigned char>(a[i]) ^
                 static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]);
  }
  return different == 0 && !a.empty();
}

bool IsLoopback(std::string_view address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

}  // namespace steptrace::http
