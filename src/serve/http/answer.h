// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace steptrace::http {

// A request, parsed and bounded: its path and query decoded.
struct Request {
  std::string target;  // as it came
  std::string path;    // decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;
  std::string if_none_match;
  std::stop_token gone;  // asked to stop when the client that asked is gone
};

// A body that is too large to be held: it is sent as it is read.
struct FileBody {
  UniqueFd fd;
  uint64_t bytes = 0;
};

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::shared_ptr<const std::string> shared;  // in place of `body`: one that many are given
  std::shared_ptr<const FileBody> file;       // in place of both
  std::string etag;                           // empty: none
  std::string cache_control;                  // empty: no-store
  std::string location;                       // where it is instead; empty: here
};

inline constexpr const char* kArrowType = "application/vnd.apache.arrow.stream";

// Of what is saved and not shown, whatever it holds.
inline constexpr const char* kDownloadType = "application/octet-stream";

// The answer of that file; a small one is read at once. Refused where it cannot be read.
Answer FromFile(UniqueFd fd, uint64_t bytes, const char* type);
// Reads up to `bytes` from there on; nothing: it cannot be read, or ends before it should.
bool ReadFileAt(const FileBody& file, uint64_t at, size_t bytes, std::string* into);

// {"error": {cause, next_step}}.
Answer Refuse(int status, const Error& error);

// A part of a path as a target has it.
std::string Encode(std::string_view part);

// Splits and decodes a request's target. False: it is malformed or over a limit.
bool ParseTarget(std::string_view target, Request* request);

}  // namespace steptrace::http
