// SPDX-License-Identifier: Apache-2.0
#include "model/subject.h"

#include <algorithm>

namespace steptrace::model {
namespace {

template <typename T>
void Insert(const T& one, std::vector<T>& sorted) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), one);
  if (at == sorted.end() || *at != one) sorted.insert(at, one);
}

// What follows the last `lib/pythonX.Y/` (`lib64`, `Lib`); empty: there is none.
std::string_view BehindLibrary(std::string_view file) {
  constexpr std::string_view kPython = "/python";
  constexpr std::string_view kVersion = "0123456789.t";
  for (size_t at = file.rfind(kPython); at != std::string_view::npos && at > 0;
       at = file.rfind(kPython, at - 1)) {
    const size_t end = file.find('/', at + kPython.size());
    if (end == std::string_view::npos) continue;
    const std::string_view version = file.substr(at + kPython.size(), end - at - kPython.size());
    const std::string_view above = file.substr(0, at);
    const std::string_view folder = above.substr(above.rfind('/') + 1);
    if (!version.empty() && version.find_first_not_of(kVersion) == std::string_view::npos &&
        (folder.starts_with("lib") || folder.starts_with("Lib"))) {
      return file.substr(end + 1);
    }
  }
  return {};
}

}  // namespace

void Subject::AddRank(int64_t rank) {
  if (!IsRank(rank)) return;
  const auto after = std::find_if(ranks.begin(), ranks.end(),
                                  [rank](const Range& range) { return range.second >= rank - 1; });
  if (after == ranks.end() || after->first > rank + 1) {
    ranks.insert(after, {rank, rank});
    return;
  }
  after->first = std::min(after->first, rank);
  after->second = std::max(after->second, rank);
  const auto next = after + 1;
  if (next != ranks.end() && next->first <= after->second + 1) {
    after->second = std::max(after->second, next->second);
    ranks.erase(next);
  }
}

void Subject::AddNode(int64_t node) {
  Insert(node, nodes);
}

void Subject::AddDevice(int64_t device) {
  Insert(device, devices);
}

void Subject::AddHost(std::string_view host) {
  Insert(std::string(host), hosts);
}

std::string_view StablePath(std::string_view file) {
  for (const std::string_view packages : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = file.rfind(packages);
    if (at != std::string_view::npos) return file.substr(at + packages.size());
  }
  if (const std::string_view behind = BehindLibrary(file); !behind.empty()) return behind;
  return file.substr(file.rfind('/') + 1);
}

}  // namespace steptrace::model
