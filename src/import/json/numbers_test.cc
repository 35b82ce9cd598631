// SPDX-License-Identifier: Apache-2.0
#include "import/json/numbers.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

namespace steptrace::import::json {
namespace {

TEST(DecimalScaled, KeepsEveryDigit) {
  EXPECT_EQ(DecimalScaled("1591160699.4570894", 9), 1591160699457089400);
  EXPECT_EQ(DecimalScaled("1591170699.4570800", 9), 1591170699457080000);
  EXPECT_EQ(DecimalScaled("77567277433", 3), 77567277433000);
  EXPECT_EQ(DecimalScaled("1159.929", 3), 1159929);
  EXPECT_EQ(DecimalScaled("1.6e9", 9), 1600000000000000000);
  EXPECT_EQ(DecimalScaled("1600000000E-3", 3), 1600000000);
  EXPECT_EQ(DecimalScaled("-0.5", 0), -1);
  EXPECT_EQ(DecimalScaled("\"17\"", 0), 17);
  EXPECT_EQ(DecimalScaled("9223372036854775807", 0), std::numeric_limits<int64_t>::max());
}

TEST(DecimalScaled, RoundsWhatIsFinerThanTheUnit) {
  EXPECT_EQ(DecimalScaled("9.9999999999999995e-07", 3), 0);
  EXPECT_EQ(DecimalScaled("0.0004999", 3), 0);
  EXPECT_EQ(DecimalScaled("0.0005", 3), 1);
  EXPECT_EQ(DecimalScaled("0.9996", 3), 1000);
  EXPECT_EQ(DecimalScaled("1e-300", 9), 0);
}

TEST(DecimalScaled, RefusesWhatIsNoNumberOrTooLarge) {
  for (const char* text : {"", "-", ".", "NaN", "Infinity", "1x", "1e", "1.2.3", "\"\"", "null",
                           "9223372036854775808", "1e30", "1e999999999999", "0x10"}) {
    EXPECT_EQ(DecimalScaled(text, 0), std::nullopt) << text;
  }
  EXPECT_EQ(DecimalScaled("0e99999", 0), 0);
}

TEST(RealShifted, GivesTheNearestDouble) {
  EXPECT_EQ(RealShifted("4.76", -2), 0.0476);
  EXPECT_EQ(RealShifted("100", -2), 1.0);
  EXPECT_EQ(RealShifted("66775126.66", 0), 66775126.66);
  EXPECT_EQ(RealShifted("5.3e1", -2), 0.53);
  EXPECT_EQ(RealShifted("-19.61", -2), -0.1961);
  EXPECT_EQ(RealShifted("NaN", -2), std::nullopt);
  EXPECT_EQ(RealShifted("1e400", 0), std::nullopt);
  EXPECT_EQ(RealShifted("1e-400", 0), 0.0);
}

}  // namespace
}  // namespace steptrace::import::json
