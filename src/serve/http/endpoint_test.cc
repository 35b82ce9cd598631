// SPDX-License-Identifier: Apache-2.0
#include "serve/http/endpoint.h"

#include <gtest/gtest.h>

#include <iterator>

namespace steptrace::http {
namespace {

std::optional<Endpoint> Asked(std::string_view path) {
  return EndpointOf(SplitPath(path));
}

TEST(Endpoint, IsWhatItsPathMeansWhateverStandsForAName) {
  for (size_t i = 0; i < std::size(kEndpoints); ++i) {
    EXPECT_EQ(static_cast<size_t>(kEndpoints[i].endpoint), i);
    EXPECT_EQ(Asked(kEndpoints[i].path), kEndpoints[i].endpoint) << kEndpoints[i].path;
  }
  EXPECT_EQ(Asked("/api/runs/events/report"), Endpoint::kReport);
  EXPECT_EQ(Asked("/api/runs/a b/timeline/slice/"), Endpoint::kTimelineSlice);
}

TEST(Endpoint, IsNoneOfAPathThatIsShorterLongerOrOther) {
  for (const char* path :
       {"", "/", "/api", "/api/", "/api/runs/", "/api/runs/x", "/api/runs/x/section",
        "/api/runs/x/report/", "/api/runs/x/timeline", "/other/runs/x/report"}) {
    EXPECT_EQ(Asked(path), std::nullopt) << path;
  }
}

}  // namespace
}  // namespace steptrace::http
