// SPDX-License-Identifier: Apache-2.0
#include "serve/export/proto.h"

#include <gtest/gtest.h>

namespace steptrace::exporter {
namespace {

using namespace std::string_literals;

// The examples of protobuf.dev, "Encoding".
TEST(ProtoTest, FieldsAreWrittenAsTheSpecificationShows) {
  Message number;
  number.Varint(1, 150);
  EXPECT_EQ(number.bytes(), "\x08\x96\x01"s);
  Message text;
  text.Text(2, "testing");
  EXPECT_EQ(text.bytes(), "\x12\x07testing"s);
  Message outer;
  outer.Sub(3, number);
  EXPECT_EQ(outer.bytes(), "\x1a\x03\x08\x96\x01"s);
}

TEST(ProtoTest, EveryBitOfANumberArrives) {
  Message largest;
  largest.Varint(16, UINT64_MAX);
  EXPECT_EQ(largest.bytes(), "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s);
  Message fixed;
  fixed.Fixed64(1, 0x0102030405060708);
  EXPECT_EQ(fixed.bytes(), "\x09\x08\x07\x06\x05\x04\x03\x02\x01"s);
  Message real;
  real.Double(1, 1.0);
  EXPECT_EQ(real.bytes(), "\x09\0\0\0\0\0\0\xf0\x3f"s);
}

}  // namespace
}  // namespace steptrace::exporter
