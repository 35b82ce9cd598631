// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <isa-l/igzip_lib.h>

#include "import/formats/perfetto/packet_stream.h"
#include "testing/perfetto_import.h"
#include "testing/perfetto_text.h"

namespace steptrace::import::perfetto {
namespace {

using testing::HasSubstr;

std::string Zlib(const std::string& bytes) {
  std::string out(bytes.size() + bytes.size() / 10 + 64, '\0');
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.gzip_flag = IGZIP_ZLIB;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uint32_t>(bytes.size());
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = static_cast<uint32_t>(out.size());
  isal_deflate_stateless(&stream);
  out.resize(stream.total_out);
  return out;
}

std::string Moments(int count) {
  std::string text = kTracks;
  for (int i = 0; i < count; ++i) {
    text += fmt::format("seq:1 ts:{} event:{{type:3 on:2 name:\"e{}\"}}\n", 100 + i, i);
  }
  return TraceText::Trace(text);
}

std::string Sized(uint64_t bytes) {
  std::string header = "\x0a";
  for (; bytes >= 0x80; bytes >>= 7) header += static_cast<char>(bytes | 0x80);
  header += static_cast<char>(bytes);
  return header;
}

TEST_F(PerfettoImport, ACutAtAnyByteLosesWhatIsBehindIt) {
  const std::string whole = Moments(4);
  const size_t tracks = TraceText::Trace(kTracks).size();
  for (size_t size = whole.size() - 1; size > tracks + 20; --size) {
    Read(whole.substr(0, size));
    ASSERT_TRUE(status_.ok()) << size << status_.error().text();
    std::string losses = Losses();
    auto rows = reader_->Read<store::SliceRow>()->size();
    bool at_border = (whole.size() - size) % ((whole.size() - tracks) / 4) == 0;
    EXPECT_EQ(losses, at_border ? "" : "file_cut_off=1 ") << size;
    EXPECT_EQ(rows, (size - tracks) / ((whole.size() - tracks) / 4)) << size;
  }
}

TEST_F(PerfettoImport, DamageBetweenPacketsCostsNoOtherPacket) {
  const std::string head =
      TraceText::Trace(std::string(kTracks) + "ts:1 event:{type:3 on:2 name:\"a\" cat:\"c\"}\n");
  const std::string tail =
      TraceText::Trace("seq:1 ts:9 event:{type:3 on:2 name:\"b\" cat:\"c\"}\n");
  const std::string expected = "0+0 a main c\n8+0 b main c\n";
  for (const std::string& damage :
       {std::string("\xff\xff\xff"), std::string("some text\n"), std::string(5000, '\0'),
        Sized(UINT64_MAX), Sized(uint64_t{1} << 62), Sized(1000), Sized(3), std::string("\x0b\x01"),
        Sized(4) + "\x08\xff\xff\xff", Sized(4) + "\x5a\x7f\x01\x02"}) {
    Read(head + damage + tail);
    ASSERT_TRUE(status_.ok()) << status_.error().text();
    EXPECT_EQ(Slices(), expected) << testing::PrintToString(damage);
    std::string losses = Losses();
    EXPECT_TRUE(losses == "damaged_packet=1 " || losses == "packet_too_long=1 ") << losses;
  }
}

TEST_F(PerfettoImport, FieldsOfTheTraceThatAreUnknownPass) {
  std::string bytes = TraceText::Trace(kTracks);
  protozero::pbf_writer writer(bytes);
  writer.add_string(2, "what comes");
  writer.add_uint64(3, 7);
  bytes += TraceText::Trace("ts:9 event:{type:3 on:2 name:\"b\" cat:\"c\"}\n");
  Read(bytes);
  // Field 3 behind field 2: only what a packet follows is known to be no damage.
  EXPECT_EQ(Slices(), "0+0 b main c\n");
}

TEST_F(PerfettoImport, ADamagedEventIsLeftOut) {
  std::string bytes = TraceText::Trace(kTracks);
  bytes +=
      TraceText::Trace("ts:1 11:\"no event\"\nts:2 event:{type:3 on:2 name:\"b\" cat:\"c\"}\n");
  Read(bytes);
  EXPECT_EQ(Slices(), "0+0 b main c\n");
  EXPECT_EQ(Losses(), "damaged_packet=1 ");
}

TEST_F(PerfettoImport, DepthBeyondTheLimitBecomesNull) {
  for (const char* kind : {"entry", "item", "nested"}) {
    std::string note = TraceText::Packet("int:1");
    for (int i = 0; i < 3000; ++i) {
      std::string outer;
      protozero::pbf_writer writer(outer);
      if (kind[0] == 'n') {
        writer.add_message(i == 2999 ? 8 : 4, i == 0 ? TraceText::Packet("5:1") : note);
      } else {
        writer.add_message(kind[0] == 'e' ? 11 : 12, note);
      }
      note = std::move(outer);
    }
    std::string event = TraceText::Packet("type:3 on:2 name:\"x\" cat:\"c\"");
    protozero::pbf_writer(event).add_message(4, note);
    std::string packet = TraceText::Packet("ts:5");
    protozero::pbf_writer(packet).add_message(11, event);
    std::string bytes = TraceText::Trace(kTracks);
    protozero::pbf_writer(bytes).add_message(1, packet);
    for (int32_t depth : {16, 512, 1'000'000}) {
      Limits limits;
      limits.max_depth = depth;
      Read(bytes, limits);
      ASSERT_TRUE(status_.ok());
      EXPECT_EQ(Losses(), "too_deep=1 ") << kind << depth;
    }
  }
}

TEST_F(PerfettoImport, PacketsInsideOfPackets) {
  const std::string inner = TraceText::Trace("ts:5 event:{type:3 on:2 name:\"x\" cat:\"c\"}\n");
  auto packed = [&](const std::string& content) {
    std::string packet;
    protozero::pbf_writer(packet).add_bytes(50, Zlib(content));
    std::string bytes;
    protozero::pbf_writer(bytes).add_bytes(1, packet);
    return bytes;
  };
  Read(TraceText::Trace(kTracks) + packed(inner));
  EXPECT_EQ(Slices(), "0+0 x main c\n");
  EXPECT_EQ(Losses(), "");
  Read(TraceText::Trace(kTracks) + inner + packed(packed(inner)) + packed("no packets"));
  EXPECT_EQ(Slices(), "0+0 x main c\n");
  EXPECT_EQ(Losses(), "damaged_packet=2 ");
  std::string cut;
  protozero::pbf_writer(cut).add_bytes(50, Zlib(inner).substr(0, 12));
  std::string bytes = TraceText::Trace(kTracks) + inner;
  protozero::pbf_writer(bytes).add_bytes(1, cut);
  Read(bytes);
  EXPECT_EQ(Losses(), "damaged_packet=1 ");
}

TEST_F(PerfettoImport, ABombIsRefusedWithTheLimit) {
  std::string packet;
  protozero::pbf_writer(packet).add_bytes(50, Zlib(std::string(4 << 20, '\0')));
  std::string bytes = Moments(1);
  for (int i = 0; i < 20; ++i) protozero::pbf_writer(bytes).add_bytes(1, packet);
  Limits limits;
  limits.max_bytes = 16 << 20;
  Read(bytes, limits);
  ASSERT_FALSE(status_.ok());
  EXPECT_THAT(status_.error().text(), HasSubstr("raise --max-bytes"));
  limits.max_bytes = 0;
  limits.max_event_bytes = 1 << 20;
  Read(bytes, limits);
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(Losses(), "packet_too_long=20 ");
}

TEST_F(PerfettoImport, WithoutEventsItIsRefusedInOneLine) {
  Read(TraceText::Trace(kTracks));
  ASSERT_FALSE(status_.ok());
  EXPECT_EQ(status_.error().text(),
            "trace: holds no event of a track; record the trace again, with track events");
}

TEST_F(PerfettoImport, SortsInBoundedMemory) {
  Limits limits;
  limits.max_rows_in_memory = 64 << 10;  // some hundreds of edges
  std::string text = kTracks;
  constexpr int kSlices = 3000;
  for (int i = 0; i < kSlices; ++i) {
    text += fmt::format("ts:{} event:{{type:2 on:2}}\nts:{} event:{{type:1 on:2 name:\"x\"}}\n",
                        20 + i * 20, 10 + i * 20);
  }
  Read(TraceText::Trace(text), limits);
  ASSERT_TRUE(status_.ok());
  auto rows = *reader_->Read<store::SliceRow>();
  ASSERT_EQ(rows.size(), static_cast<size_t>(kSlices));
  for (const auto& row : rows) ASSERT_EQ(row.dur_ns, 10);
  EXPECT_EQ(Losses(), "");
}

TEST(PerfettoDetect, OnlyTracesAreDetected) {
  EXPECT_TRUE(LooksLikeTrace(Moments(3)));
  EXPECT_TRUE(LooksLikeTrace(Moments(3).substr(0, 60)));
  for (const char* text :
       {"", "\n", "\n{\"traceEvents\":[]}", "\n\n\n", "\x0a\x00", "plain text\n"}) {
    EXPECT_FALSE(LooksLikeTrace(text)) << text;
  }
}

}  // namespace
}  // namespace steptrace::import::perfetto
