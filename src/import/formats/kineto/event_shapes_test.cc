// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/event_shapes.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <random>

#include "import/core/rows/part.h"
#include "import/core/rows/sink_share.h"
#include "import/formats/kineto/args.h"

namespace steptrace::import::kineto {
namespace {

std::string Text(const json::Value& value) {
  return std::to_string(static_cast<int>(value.kind)) + (value.escaped ? "\\" : "") + ":" +
         std::string(value.text) + " ";
}

std::string Text(const RawEvent& event) {
  std::string text;
  for (const json::Value* value : {&event.phase, &event.name, &event.category, &event.pid,
                                   &event.tid, &event.ts, &event.dur, &event.id}) {
    text += Text(*value);
  }
  std::vector<Arg> args;
  event.AllArgs(&args);
  for (const Arg& arg : args) {
    text += std::string(arg.key) + "=" + Text(arg.value) + std::string(arg.begin(), arg.end()) +
            "/" + std::to_string(static_cast<int>(arg.fate)) + ";";
  }
  return text + std::to_string(event.duplicate_keys);
}

std::string Text(const Slice& slice, const ArgsSorter& sorter) {
  std::string text;
  for (int64_t number : {slice.correlation, slice.external_id, slice.bytes, slice.sequence,
                         slice.group, static_cast<int64_t>(slice.details), sorter.not_a_number()}) {
    text += std::to_string(number) + " ";
  }
  return text;
}

// Reads events as Document does, each also the long way: both must agree, also in what becomes of
// the arguments.
class Both {
 public:
  // Whether the event was read by its shape.
  bool Reads(std::string text) {
    size_t size = text.size();
    text += ",\n";
    std::string window = text + std::string(json::kPadding, '\0');
    json::Scan scan{window.data() + text.size(), 64};
    RawEvent wanted;
    Trail trail;
    json::Scan long_way = scan;
    const char* after = ReadEvent(window.data(), long_way, &wanted, &trail);
    RawEvent found;
    const char* shaped = shapes_.Read(window.data(), scan, &found);
    if (shaped == nullptr) {
      if (after != nullptr) shapes_.Learn(window.data(), after, wanted, trail);
      return false;
    }
    EXPECT_EQ(shaped, after) << text;
    EXPECT_EQ(shaped, window.data() + size) << text;
    EXPECT_EQ(Text(found), Text(wanted)) << text;
    if (found.origin != 0) {
      std::string who = Text(found.category) + Text(found.pid) + Text(found.tid);
      EXPECT_EQ(origins_.try_emplace(found.origin, who).first->second, who) << text;
    }
    Slice slice;
    Slice wanted_slice;
    bool on_device = wanted.category.text == "kernel";
    by_shape_.Sort(found, on_device, sink_, &slice);
    long_way_.Sort(wanted, on_device, sink_, &wanted_slice);
    EXPECT_EQ(Text(slice, by_shape_), Text(wanted_slice, long_way_)) << text;
    runs_ += static_cast<int64_t>(found.run_count);
    return true;
  }
  int64_t runs() const { return runs_; }
  size_t origins() const { return origins_.size(); }

 private:
  EventShapes shapes_;
  SinkShare share_{std::filesystem::temp_directory_path(), Limits()};
  PartSink sink_{share_};
  ArgsSorter by_shape_;
  ArgsSorter long_way_;
  int64_t runs_ = 0;
  std::map<uint32_t, std::string> origins_;  // what events of one have in common
};

std::string Kernel(int tid, const std::string& name, int correlation, const std::string& details) {
  return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "pid": 0, "tid": )" +
         std::to_string(tid) + R"(, "ts": 12.5, "dur": 3,
    "args": {"External id": 7, "queued": 0, "correlation": )" +
         std::to_string(correlation) + ", " + details + "}}";
}

TEST(EventShapes, ReadsWhatItHasSeen) {
  Both both;
  EXPECT_FALSE(both.Reads(Kernel(7, "gemm", 1, R"("grid": [1, 2, 3], "block": [4, 5, 6])")));
  // Other values, also longer ones that begin as the first did.
  EXPECT_TRUE(both.Reads(Kernel(7, "relu", 2, R"("grid": [1, 2, 3], "block": [4, 5, 61])")));
  EXPECT_TRUE(both.Reads(Kernel(7, "gemm", 12345678, R"("grid": [], "block": [[4], {"a": 1}])")));
  EXPECT_TRUE(both.Reads(Kernel(7, "", 1, R"("grid": [1, 2, 3], "block": [4, 5, 6])")));
  EXPECT_TRUE(both.Reads(Kernel(7, R"(a \"quoted\" name)", 3, R"("grid": [1], "block": [2])")));
  // Another stream, another kind of value, another key, another space: learnt once each.
  EXPECT_FALSE(both.Reads(Kernel(8, "gemm", 4, R"("grid": [1, 2, 3], "block": [4, 5, 6])")));
  EXPECT_TRUE(both.Reads(Kernel(8, "gemm", 4, R"("grid": [1, 2, 3], "block": [4, 5, 6])")));
  EXPECT_FALSE(both.Reads(Kernel(7, "gemm", 4, R"("grid": "none", "block": [4])")));
  EXPECT_TRUE(both.Reads(Kernel(7, "gemm", 4, R"("grid": "none\t", "block": [4])")));
  EXPECT_FALSE(both.Reads(Kernel(7, "gemm", 4, R"("grid":  [1], "block": [4])")));
  EXPECT_FALSE(both.Reads(Kernel(7, "gemm", 4, R"("grids": [1], "block": [4])")));
  EXPECT_FALSE(both.Reads(Kernel(7, "gemm", 4, R"("grid": NaN, "block": [4])")));
  EXPECT_TRUE(both.Reads(Kernel(7, "gemm", 4, R"("grid": 17, "block": [4])")));
  EXPECT_EQ(both.origins(), 2u);  // of the two streams
}

TEST(EventShapes, RunsEndWhereTheirLastValueEnds) {
  Both both;
  for (const char* block : {"31", "31", "31", "310", "3", "31"}) {
    both.Reads(Kernel(7, "gemm", 1, std::string(R"("grid": 1, "block": )") + block));
  }
  for (const char* block : {"a", "a", "a", "ab", "", "a\\\"", "a"}) {
    both.Reads(Kernel(7, "gemm", 1, std::string(R"("grid": 1, "block": ")") + block + '"'));
  }
  EXPECT_TRUE(both.Reads(Kernel(7, "gemm", 1, R"("grid": 1, "block": "a")")));
}

// Process and thread, which are part of the text, before arguments that are taken as a run.
TEST(EventShapes, RunsBehindConstants) {
  Both both;
  std::string event = R"({"ph": "i", "cat": "a", "name": "[memory]", "pid": 4, "tid": 5, )"
                      R"("args": {"Bytes": 1, "Addr": 2}, "ts": 3})";
  for (int i = 0; i < 5; ++i) EXPECT_EQ(both.Reads(event), i > 0);
}

TEST(EventShapes, LeavesDamageToTheLongWay) {
  Both both;
  std::string sound = Kernel(7, "gemm", 1, R"("grid": [1, 2, 3], "block": [4, 5, 6])");
  both.Reads(sound);
  ASSERT_TRUE(both.Reads(sound));
  for (size_t size = 1; size < sound.size(); ++size) {
    EXPECT_FALSE(both.Reads(sound.substr(0, size) + "@"));
  }
  std::string twice = Kernel(7, "gemm", 1, R"("grid": 1, "grid": 2)");
  EXPECT_FALSE(both.Reads(twice));
  EXPECT_FALSE(both.Reads(twice));  // counted, so never learnt
}

// The window may end anywhere in an event: then nothing is read.
TEST(EventShapes, NeverReadsPastTheWindow) {
  std::string event = Kernel(7, "gemm", 1, R"("grid": [1, 2, 3], "block": "six")");
  EventShapes shapes;
  RawEvent found;
  Trail trail;
  std::string window = event + std::string(json::kPadding, '\0');
  json::Scan scan{window.data() + event.size() + 1, 64};
  const char* after = ReadEvent(window.data(), scan, &found, &trail);
  shapes.Learn(window.data(), after, found, trail);
  for (size_t size = 0; size < event.size(); ++size) {
    std::string part = event.substr(0, size) + std::string(json::kPadding, '\0');
    json::Scan cut{part.data() + size, 64};
    EXPECT_EQ(shapes.Read(part.data(), cut, &found), nullptr) << size;
  }
}

TEST(EventShapes, TextsOfAnyKindGiveTheSameEvent) {
  std::mt19937 random(7);
  auto any = [&](std::initializer_list<const char*> from) {
    return std::string(from.begin()[random() % from.size()]);
  };
  auto value = [&] {
    return any({"1", "12", "-3.5e4", "NaN", "true", R"("")", R"("text")", R"("te\"xt")", "[1,2]",
                "[1,2,3]", "{}", R"({"a": [1, {"b": "}"}]})", "N/A", R"("12")"});
  };
  Both both;
  int64_t shaped = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "{" + any({"", " ", "\n  "}) + R"("ph": ")" + any({"X", "s", "i"}) + '"';
    if (random() % 4 != 0) text += R"(, "cat": ")" + any({"kernel", "cpu_op", "a\\\\b"}) + '"';
    text += R"(, "name": )" + any({R"("one")", R"("a longer name of an event")", "5"});
    if (random() % 2) text += R"(,"pid": )" + value() + R"(, "tid":)" + any({"1", "2", R"("s 3")"});
    const bool args = random() % 2 == 0;
    if (!args && random() % 3 == 0) {
      text += R"(, "args": )" + any({"[]", "[1]", "{}", "null", R"("none")", "7"});
    }
    if (args) {
      text += R"(, "args": {"External id": )" + value();
      for (const char* key : {"queued", "grid", "Collective name", "Ev Idx", "stream"}) {
        if (random() % 3 != 0) text += R"(, ")" + std::string(key) + R"(":)" + value();
      }
    }
    shaped += both.Reads(text + (args ? "}}" : "}"));
  }
  EXPECT_GT(shaped, 5'000);  // most others differ from all before them
}

TEST(EventShapes, AnArrayInPlaceOfTheArgumentsHidesNoOthers) {
  Both both;
  for (int i = 0; i < 3; ++i) {
    for (const char* args : {"[]", R"({"External id": 3, "grid": [1]})", "{}", "null"}) {
      both.Reads(R"({"ph": "X", "name": "a", "ts": 1, "args": )" + std::string(args) + "}");
    }
  }
}

// What stands before and behind a run is no part of it, and what it became on a device is not what
// it becomes on the host.
TEST(EventShapes, WhatARunBecomesDependsOnWhatIsBesideIt) {
  Both both;
  for (int i = 0; i < 12; ++i) {
    for (const char* category : {"kernel", "cpu_op"}) {
      for (const char* more : {"", R"(, "Sequence number": 4)", R"(, "correlation": "none")",
                               R"(, "Seq": 5, "Sequence number": 4)", R"(, "correlation": 9)",
                               R"(, "correlation": 9, "grid": [1], "block": 2)",
                               R"(, "correlation": 9, "grid": [1], "Seq": 6, "block": 2)"}) {
        both.Reads(
            std::string(R"({"ph": "X", "cat": ")") + category +
            R"(", "name": "a", "ts": 1, "dur": 1, "args": {"External id": 3, "queued": 0, )" +
            R"("stream": 7, "Device": 1, "bandwidth": NaN)" + more + "}}");
      }
    }
  }
  EXPECT_GT(both.runs(), 50);
}

// A writer with keys without end must not fill memory, nor slow down what is known.
TEST(EventShapes, ForgetsNothingAndLearnsNotWithoutEnd) {
  Both both;
  std::string sound = Kernel(7, "gemm", 1, R"("grid": [1, 2, 3])");
  both.Reads(sound);
  for (int i = 0; i < 20'000; ++i) {
    both.Reads(R"({"ph": "X", "name": "a", "args": {"k)" + std::to_string(i) + R"(": 1}})");
  }
  EXPECT_TRUE(both.Reads(sound));
}

}  // namespace
}  // namespace steptrace::import::kineto
