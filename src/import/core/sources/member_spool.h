// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "import/core/bytes/byte_stream.h"

namespace steptrace::import {

// The members of an archive, unpacked on a file without a name: there each is at hand in any order,
// while an archive is a stream, which begins anew for each step back.
class MemberSpool {
 public:
  static Result<MemberSpool> Make();

  // Keeps what the stream holds; how it ended is told by the streams of the member. An error: the
  // file has no room.
  Status Add(int64_t member, ByteStream& stream);
  // A member that is not there was not found when all were kept.
  StreamResult Open(int64_t member, const std::string& name) const;

 private:
  struct Extent {
    int64_t at = 0;
    int64_t bytes = 0;
    std::string damage;
    Status failed;
  };

  explicit MemberSpool(UniqueFd fd) : fd_(std::make_shared<const UniqueFd>(std::move(fd))) {}

  std::shared_ptr<const UniqueFd> fd_;  // also of streams
  int64_t size_ = 0;
  std::map<int64_t, Extent> members_;
};

}  // namespace steptrace::import
