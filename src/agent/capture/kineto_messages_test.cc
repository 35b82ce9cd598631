// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/kineto_messages.h"

#include <gtest/gtest.h>

#include "testing/kineto_client.h"

namespace steptrace::agent {
namespace {

TEST(KinetoMessages, ARequestTellsItsProcessAndWhetherItIsIdle) {
  const auto idle = ParseKinetoMessage(KinetoRequestText(3, {12, 11, 1}));
  ASSERT_TRUE(idle);
  EXPECT_TRUE(idle->request && idle->idle);
  EXPECT_EQ(idle->pids, (std::vector<int32_t>{12, 11, 1}));
  const auto busy = ParseKinetoMessage(KinetoRequestText(1, {12}));
  ASSERT_TRUE(busy);
  EXPECT_FALSE(busy->idle);
}

TEST(KinetoMessages, AContextTellsItsProcess) {
  const auto context = ParseKinetoMessage(KinetoMessageText("ctxt", {0, 12, 0, 0}));
  ASSERT_TRUE(context);
  EXPECT_FALSE(context->request);
  EXPECT_EQ(context->pids, (std::vector<int32_t>{12}));
}

TEST(KinetoMessages, InconsistentMessageIsRejected) {
  const std::string good = KinetoRequestText(3, {12, 11});
  for (size_t bytes = 0; bytes < good.size(); ++bytes) {
    EXPECT_FALSE(ParseKinetoMessage(good.substr(0, bytes))) << bytes;
  }
  EXPECT_FALSE(ParseKinetoMessage(good + "x"));
  struct Damaged {
    const char* what;
    std::string text;
  };
  const std::vector<int32_t> many(kMaxKinetoPids + 1, 7);
  for (const Damaged& one : {
           Damaged{"more numbers told than held", KinetoMessageText("req", {3, 9, 0, 0, 12})},
           Damaged{"fewer", KinetoMessageText("req", {3, 1, 0, 0, 12, 13})},
           Damaged{"none", KinetoMessageText("req", {3, 0, 0, 0})},
           Damaged{"a negative number of them", KinetoMessageText("req", {3, -1, 0, 0, 12})},
           Damaged{"a size of all there is",
                   KinetoMessageText("req", {3, 1, 0, 0, 12}, UINT64_MAX)},
           Damaged{"no process", KinetoRequestText(3, {0})},
           Damaged{"a negative one", KinetoRequestText(3, {12, -1})},
           Damaged{"too many", KinetoRequestText(3, many)},
           Damaged{"another type", KinetoMessageText("pids", {3, 1, 0, 0, 12})},
           Damaged{"a context of another size", KinetoMessageText("ctxt", {0, 12, 0, 0, 0})},
       }) {
    EXPECT_FALSE(ParseKinetoMessage(one.text)) << one.what;
  }
}

TEST(KinetoMessages, AnswersHaveTheirSize) {
  EXPECT_EQ(KinetoConfigReply(""), KinetoMessageText("req", {}));
  EXPECT_EQ(KinetoContextReply(3), KinetoMessageText("ctxt", {3}));
  EXPECT_EQ(KinetoConfigReply("A=1\n").substr(kKinetoHeaderBytes), "A=1\n");
}

}  // namespace
}  // namespace steptrace::agent
