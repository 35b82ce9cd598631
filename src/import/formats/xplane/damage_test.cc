// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "import/formats/xplane/import_fixture.h"
#include "import/formats/xplane/made_space.h"
#include "import/formats/xplane/space_stream.h"

namespace steptrace::import::xplane {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

std::string Host(int events) {
  MadePlane host("/host:CPU");
  std::vector<std::string> made;
  for (int i = 0; i < events; ++i) made.push_back(host.Event("work", i * 2000, 1000));
  host.Line(7, "python", 0, made);
  return host.Bytes();
}

std::string Gpu() {
  MadePlane gpu("/device:GPU:0");
  gpu.Line(1, "Stream #1(Compute)", 0, {gpu.Event("k", 0, 1000), gpu.Event("k", 2000, 1000)});
  return gpu.Bytes();
}

// Names come behind the events, so that those of a plane that is cut off have none.
TEST_F(XPlaneImport, ACutInAPlaneCostsItsRest) {
  const std::string first = Space({Host(3)});
  MadePlane other("/host:python-tracer");
  other.Line(8, "more", 0, {other.Event("$a.py:1 f", 0, 1000)});
  const std::string whole = first + Space({other.Bytes()});
  for (size_t size = first.size() + 1; size < whole.size(); size += 23) {
    Read(whole.substr(0, size));
    ASSERT_TRUE(status_.ok()) << size << status_.error().text();
    EXPECT_EQ(Losses()["file_cut_off"], 1) << size;
    EXPECT_THAT(Slices(), HasSubstr("4+1 work")) << size;
  }
}

TEST_F(XPlaneImport, ACutInADeviceRefusesTheFile) {
  const std::string whole = Space({Host(3), Gpu()});
  Read(whole.substr(0, whole.size() - 3));
  ASSERT_FALSE(status_.ok());
  EXPECT_THAT(status_.error().text(), HasSubstr("/device:GPU:0: ends in the middle of it"));
  EXPECT_THAT(status_.error().text(), HasSubstr("copy it again"));
}

// A short copy is no recording without events: to record again would not help.
TEST_F(XPlaneImport, ACutBeforeTheFirstEventIsCalledThat) {
  const std::string whole = Space({Host(3)});
  Read(whole.substr(0, 12));
  ASSERT_FALSE(status_.ok());
  EXPECT_THAT(status_.error().text(),
              HasSubstr("ends in the middle of it, before its first event"));
  EXPECT_THAT(status_.error().text(), HasSubstr("copy it again"));
}

TEST_F(XPlaneImport, DamageInAPlaneCostsNoOther) {
  MadePlane odd("/host:python-tracer");
  std::string damaged = odd.Bytes() + "\x1b\xff\xff\xff";
  Read(Space({damaged, Host(2), Gpu()}));
  ASSERT_TRUE(status_.ok()) << status_.error().text();
  EXPECT_THAT(Slices(), HasSubstr("2+1 work"));
  EXPECT_THAT(Slices(), HasSubstr("(kernel)"));
  EXPECT_THAT(Losses(), UnorderedElementsAre(Pair("damaged_packet", 1)));
}

TEST_F(XPlaneImport, ADamagedEventCostsNoOther) {
  MadePlane host("/host:CPU");
  host.Line(7, "python", 0, {host.Event("work", 0, 1000), "\x08", host.Event("work", 2000, 1000)});
  Read(Space({host.Bytes()}));
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(Rows<store::SliceRow>().size(), 2u);
  EXPECT_THAT(Losses(), UnorderedElementsAre(Pair("damaged_packet", 1)));
}

TEST_F(XPlaneImport, WhatCannotBeIsCountedByCause) {
  MadePlane host("/host:CPU");
  std::string unnamed;
  protozero::pbf_writer(unnamed).add_int64(in_event::kMetadataId, 99);
  std::string sum = host.Event("work", 0, 0);
  protozero::pbf_writer(sum).add_int64(in_event::kOccurrences, 4);
  host.Line(7, "python", 0,
            {host.Event("work", 1000, 1000), host.Event("work", 2000, -5), unnamed, sum})
      .Line(8, "late", INT64_MAX / 2, {host.Event("work", 0, 1000)});
  Read(Space({host.Bytes()}));
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Losses(),
              UnorderedElementsAre(Pair("negative_duration", 1), Pair("interned_text_missing", 1),
                                   Pair("unsupported_event", 1), Pair("bad_timestamp", 1)));
  EXPECT_EQ(Rows<store::SliceRow>().size(), 2u);
}

TEST_F(XPlaneImport, AKernelWithoutANameIsWork) {
  MadePlane gpu("/device:GPU:0");
  std::string unnamed;
  protozero::pbf_writer(unnamed).add_int64(in_event::kMetadataId, 99);
  protozero::pbf_writer(unnamed).add_int64(in_event::kDurationPs, 5000);
  gpu.Line(1, "Stream #1(Compute)", 0, {unnamed});
  Read(Space({gpu.Bytes()}));
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(Slices(), "0+5 kernel without a name (kernel) GPU0.1\n");
  EXPECT_EQ(Losses()["interned_text_missing"], 1);
}

TEST_F(XPlaneImport, WhatIsTooLongIsSkipped) {
  Limits limits;
  limits.max_event_bytes = 64;
  MadePlane host("/host:CPU");
  host.Line(7, "python", 0,
            {host.Event("a", 0, 1000),
             host.Event("a", 2000, 1000, {host.Text("note", std::string(100, 'x'))})});
  Read(Space({host.Bytes()}), limits);
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(Rows<store::SliceRow>().size(), 1u);
  EXPECT_EQ(Losses()["packet_too_long"], 1);
}

TEST_F(XPlaneImport, BytesBehindThePlanesAreNoProfile) {
  Read(Space({Host(2)}) + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Losses(), UnorderedElementsAre(Pair("file_damaged", 1)));
}

TEST_F(XPlaneImport, IsStopped) {
  DetectedSource detected;
  detected.source.path = detected.source.inside = "vm.xplane.pb";
  detected.source.open = []() -> StreamResult { return Error{"stopped"}; };
  RunSink sink(folder_, {});
  const Status status = kXPlaneImporter.import(std::span(&detected, 1), {}, sink);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().text(), "stopped");
}

TEST(LooksLikeSpace, GoesByAPlanesName) {
  EXPECT_TRUE(LooksLikeSpace(Space({Gpu()})));
  EXPECT_TRUE(LooksLikeSpace(Space({MadePlane("Task Environment").Bytes()})));
  EXPECT_FALSE(LooksLikeSpace(Space({MadePlane("mine").Bytes()})));
  EXPECT_FALSE(LooksLikeSpace("\x0a"));
  EXPECT_FALSE(LooksLikeSpace(std::string("\x0a\x04\x0a\x02hi", 6)));
  EXPECT_FALSE(LooksLikeSpace(""));
  EXPECT_FALSE(LooksLikeSpace("{\"traceEvents\": []}"));
}

}  // namespace
}  // namespace steptrace::import::xplane
