// SPDX-License-Identifier: Apache-2.0
#include "serve/http/endpoint.h"

#include <algorithm>

namespace steptrace::http {
namespace {

bool IsNamed(std::string_view pattern_part) {
  return pattern_part.starts_with('{');
}

bool Matches(const std::vector<std::string>& parts, std::string_view pattern) {
  const std::vector<std::string> wanted = SplitPath(pattern);
  return std::equal(
      parts.begin(), parts.end(), wanted.begin(), wanted.end(),
      [](const std::string& part, const std::string& of) { return IsNamed(of) || part == of; });
}

}  // namespace

std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const size_t end = std::min(path.find('/'), path.size());
    parts.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

std::optional<Endpoint> EndpointOf(const std::vector<std::string>& parts) {
  for (const EndpointInfo& info : kEndpoints) {
    if (Matches(parts, info.path)) return info.endpoint;
  }
  return std::nullopt;
}

}  // namespace steptrace::http
