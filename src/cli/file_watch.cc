// SPDX-License-Identifier: Apache-2.0
#include "cli/file_watch.h"

#include <sys/stat.h>

#include <utility>

#include "base/time.h"

namespace steptrace::cli {

FileWatch::FileWatch(std::filesystem::path file)
    : file_(std::move(file)), reported_(MarkNow()), seen_(reported_) {}

FileWatch::Mark FileWatch::MarkNow() const {
  struct stat facts {};
  if (::stat(file_.c_str(), &facts) != 0) return {};
  return {int64_t{facts.st_mtim.tv_sec} * kNsPerSecond + facts.st_mtim.tv_nsec, facts.st_size,
          facts.st_ino};
}

bool FileWatch::Poll() {
  const Mark now = MarkNow();
  const bool settled = now == seen_;
  seen_ = now;
  if (!settled || now == reported_) return false;
  reported_ = now;
  return true;
}

}  // namespace steptrace::cli
