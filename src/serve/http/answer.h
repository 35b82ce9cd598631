// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steptrace::http {

// A request, parsed and bounded: its path and query decoded.
struct Request {
  std::string path;  // decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;
  std::string if_none_match;
};

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::shared_ptr<const std::string> shared;  // in place of `body`: one that many are given
  std::string etag;                           // empty: none
  std::string cache_control;                  // empty: no-store
};

inline constexpr const char* kArrowType = "application/vnd.apache.arrow.stream";

// {"error": {thing, cause, next_step}} from one line "thing: cause; next step".
Answer Refuse(int status, std::string_view message);

// Splits and decodes a request's target. False: it is malformed or over a limit.
bool ParseTarget(std::string_view target, Request* request);

}  // namespace steptrace::http
