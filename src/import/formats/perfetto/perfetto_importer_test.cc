// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <optional>
#include <type_traits>

#include "store/all_tables.h"
#include "testing/perfetto_import.h"
#include "testing/perfetto_text.h"

namespace steptrace::import::perfetto {
namespace {

struct Case {
  const char* name;
  const char* trace;
  const char* slices;
  const char* losses = "";
  const char* counters = "";
};

const Case kCases[] = {
    {"NestedSlices", R"(
ts:1000 event:{type:1 on:2 name:"outer" cat:"a" cat:"b"}
ts:1010 event:{type:1 on:2 name:"inner"}
ts:1020 event:{type:2 on:2}
ts:1030 event:{type:3 on:2 name:"moment"}
ts:1040 event:{type:2 on:2}
)",
     "0+40 outer main a,b\n10+10 inner main\n30+0 moment main instant\n"},
    {"SameBeginOuterFirst", R"(
ts:5 event:{type:1 on:2 name:"outer"}
ts:5 event:{type:1 on:2 name:"inner"}
ts:9 event:{type:2 on:2}
ts:9 event:{type:2 on:2}
)",
     "0+4 outer main\n0+4 inner main\n"},
    {"AllBeginsThenAllEnds", R"(
ts:100 event:{type:1 on:2 name:"a"}
ts:110 event:{type:1 on:2 name:"b"}
ts:120 event:{type:1 on:2 name:"c"}
ts:110 event:{type:2 on:2}
ts:120 event:{type:2 on:2}
ts:130 event:{type:2 on:2}
)",
     "0+10 a main\n10+10 b main\n20+10 c main\n"},
    {"NothingInsideOfSomethingWhenSorted", R"(
ts:50 event:{type:2 on:2}
ts:100 event:{type:1 on:2 name:"outer"}
ts:110 event:{type:1 on:2 name:"nothing"}
ts:110 event:{type:2 on:2}
ts:120 event:{type:2 on:2}
ts:120 event:{type:1 on:2 name:"next"}
ts:120 event:{type:1 on:2 name:"nothing"}
ts:120 event:{type:2 on:2}
ts:130 event:{type:2 on:2}
)",
     "0+20 outer main\n10+0 nothing main\n20+10 next main\n20+0 nothing main\n",
     "end_without_begin=1 "},
    {"PairsInAnyOrder", R"(
ts:200 event:{type:1 on:2 name:"late"}
ts:250 event:{type:2 on:2}
ts:100 event:{type:1 on:2 name:"early"}
ts:220 event:{type:2 on:2}
)",
     "0+120 early main\n100+50 late main\n"},
    {"PacketsOfSequencesOutOfOrder", R"(
seq:1 ts:100 event:{type:1 on:2 name:"a"}
seq:1 ts:120 event:{type:1 on:2 name:"c"}
seq:2 ts:110 event:{type:2 on:2}
seq:2 ts:130 event:{type:2 on:2}
)",
     "0+10 a main\n20+10 c main\n"},
    {"Interned", R"(
seq:1 flags:1 interned:{cats:{iid:1 is:"cat"} names:{iid:7 is:"name"} keys:{iid:3 is:"key"} texts:{iid:4 is:"val"}}
seq:1 flags:2 ts:100 event:{type:1 on:2 name_iid:7 cat_iid:1 note:{key_iid:3 text_iid:4}}
seq:2 flags:1 interned:{names:{iid:7 is:"other"}}
seq:2 flags:2 ts:101 event:{type:1 on:2 name_iid:7}
ts:102 event:{type:2 on:2}
ts:103 event:{type:2 on:2}
seq:1 flags:1
seq:1 flags:2 ts:104 event:{type:3 on:2 name_iid:7}
)",
     "0+3 name main cat {\"key\":\"val\"}\n1+1 other main\n4+0  main instant\n",
     "interned_text_missing=1 "},
    {"Defaults", R"(
seq:1 flags:1 defaults:{11:{11:2 31:5} 58:1}
track:{uuid:5 parent:1 label:"count" counter:{multiplier:1000 incremental:1}}
seq:9 snapshot:{reading:{id:6 at:1000} reading:{id:1 at:1700000000000000000}}
seq:1 ts:1700000000000000010 event:{type:1 name:"x" extra:2}
seq:1 ts:1700000000000000020 event:{type:2 extra:3}
)",
     "0+10 x main\n", "", "0 count=2000\n10 count=5000\n"},
    {"ClockOfDifferences", R"(
seq:4 flags:1 snapshot:{reading:{id:64 at:500 differences:1 unit:1000} reading:{id:6 at:7000000}} defaults:{58:64}
seq:4 ts:1 event:{type:1 on:2 name:"x"}
seq:4 ts:3 event:{type:2 on:2}
seq:5 ts:7005000 event:{type:3 on:2 name:"boot"}
seq:5 clock:64 ts:1 event:{type:3 on:2 name:"not joined"}
)",
     "0+3000 x main\n4000+0 boot main instant\n", "clock_not_joined=1 "},
    {"ClocksByWayOfAThird", R"(
snapshot:{reading:{id:3 at:100} reading:{id:6 at:1100}}
snapshot:{reading:{id:3 at:200} reading:{id:65 at:50}}
clock:3 ts:150 event:{type:3 on:2 name:"mono"}
clock:65 ts:60 event:{type:3 on:2 name:"third"}
)",
     "0+0 mono main instant\n60+0 third main instant\n"},
    {"Annotations", R"(
ts:1 event:{type:1 on:2 name:"x" note:{key:"correlation" int:77} note:{key:"neg" int:-5} note:{key:"u" uint:18446744073709551615} note:{key:"d" double:d0.25} note:{key:"b" bool:1}}
ts:2 event:{type:2 on:2 note:{key:"late" text:"q"}}
ts:3 event:{type:3 on:2 name:"y" cat:"c" note:{key:"dict" entry:{key:"a" int:1} entry:{key:"l" item:{int:2} item:{text:"t"}}} note:{key:"old" nested:{2:"k" 3:{5:4}}}}
)",
     "0+1 x main correlation=77 {\"neg\":-5,\"u\":18446744073709551615,\"d\":0.25,\"b\":true,"
     "\"late\":\"q\"}\n"
     "2+0 y main c {\"dict\":{\"a\":1,\"l\":[2,\"t\"]},\"old\":{\"k\":4}}\n"},
    {"Flows", R"(
ts:1 event:{type:3 on:2 name:"a" cat:"c" flow:x9}
ts:2 event:{type:3 on:2 name:"b" cat:"c" last_flow:x9}
ts:3 event:{type:3 on:2 name:"c" cat:"c" flow:x9}
)",
     "0+0 a main c out=9\n1+0 b main c in=9\n2+0 c main c out=9\n"},
    {"Counters", R"(
track:{uuid:5 parent:1 label:"gauge" counter:{}}
ts:1 event:{type:4 on:5 value:-3}
ts:2 event:{type:4 on:5 double_value:d0.5}
)",
     "", "", "0 gauge=-3\n1 gauge=0.5\n"},
    {"LanesOfOneNameAreOne", R"(
track:{uuid:3 parent:2 label:"main"}
track:{uuid:4 parent:1 label:"lane"}
track:{uuid:5 parent:1 label:"lane"}
ts:1 event:{type:1 on:2 name:"a"}
ts:2 event:{type:1 on:3 name:"b"}
ts:3 event:{type:2 on:2}
ts:4 event:{type:2 on:3}
ts:5 event:{type:3 on:4 name:"c"}
ts:6 event:{type:3 on:5 name:"d"}
)",
     "0+2 a main\n1+2 b main\n4+0 c lane instant\n5+0 d lane instant\n"},
    {"PacketBeforeItsTrack", R"(
ts:1 event:{type:3 on:8 name:"x"}
track:{uuid:8 thread:{pid:10 tid:12 thread_name:"later"}}
)",
     "0+0 x later instant\n"},
    {"DuplicateUuids", R"(
track:{uuid:2 thread:{pid:10 tid:99 thread_name:"imposter"}}
ts:1 event:{type:3 on:2 name:"x"}
)",
     "0+0 x main instant\n", "duplicate_uuid=1 "},
    {"TracksWithoutDescriptor", R"(
ts:1 event:{type:3 on:44 name:"x"}
ts:2 event:{type:3 on:44 name:"y"}
)",
     "0+0 x  instant\n1+0 y  instant\n", "track_undescribed=1 "},
    {"EndsAndBegins", R"(
ts:1 event:{type:2 on:2}
ts:2 event:{type:1 on:2 name:"x"}
ts:3 event:{type:2 on:2}
ts:4 event:{type:1 on:2 name:"open"}
)",
     "0+1 x main\n", "begin_without_end=1 end_without_begin=1 "},
    {"UnknownFieldsAndWireTypes", R"(
ts:1 700:5 701:"what" event:{type:1 on:2 name:"x" 900:{1:2} name_iid:"no number" 10:"neither"}
ts:"two" event:{type:1 on:2 name:"without a time"}
ts:3 event:{type:2 on:2}
)",
     "0+2 x main\n", "bad_timestamp=1 "},
    {"KinetoBuilder", R"(
track:{uuid:20 label:"Device 0" process:{pid:0 process_name:"Device 0"}}
track:{uuid:21 parent:20 label:"stream 7" thread:{pid:0 tid:7 thread_name:"stream 7"}}
track:{uuid:22 parent:21 label:"stream 7"}
track:{uuid:23 parent:21 label:"stream 7"}
event:{type:3 on:20 name:"device_properties" note:{key:"properties" text:"{}"}}
ts:10 event:{type:1 on:22 name:"gemm" note:{key:"metadata" text:"'device': 0, 'stream': 7, 'grid': [1, 2, 3], 'correlation': 5"} note:{key:"correlation_id" int:5}}
ts:20 event:{type:2 on:22}
ts:15 event:{type:1 on:23 name:"Memcpy HtoD" note:{key:"metadata" text:"'device': 0, 'stream': 7"}}
ts:25 event:{type:2 on:23}
ts:5 event:{type:1 on:2 name:"cudaLaunchKernel" flow:x5 note:{key:"metadata" text:"'cbid': 211, 'correlation': 5"}}
ts:6 event:{type:2 on:2}
)",
     "0+1 cudaLaunchKernel main cuda_runtime correlation=5 {\"cbid\":211}\n"
     "5+10 gemm GPU0.7 kernel correlation=5 {\"grid\":[1,2,3]}\n"
     "10+10 Memcpy HtoD GPU0.7 gpu_memcpy\n"},
    {"StagesOfAGpu", R"(
seq:1 flags:1 interned:{names:{iid:1 is:"gemm"} specs:{iid:1 is:"Kernel"} specs:{iid:2 is:"Memcpy"} specs:{iid:107 is:"[07] stream 7"}}
seq:1 ts:100 stage:{dur:50 gpu:2 queue:107 kind:1 20:1 more:{1:"correlation" 2:"9"} more:{1:"device id" 2:"2"} launch:{grid:{x:4 y:2 z:1} block:{x:128 y:1 z:1}}}
seq:1 ts:120 stage:{dur:5 gpu:2 queue:107 kind:2 more:{1:"bytes" 2:"64"}}
)",
     "0+50 gemm GPU2.7 kernel correlation=9 {\"grid\":[4,2,1],\"block\":[128,1,1]}\n"
     "20+5 Memcpy GPU2.7 gpu_memcpy\n"},
    {"LegacyEvents", R"(
ts:10 event:{on:2 name:"whole" legacy:{phase:88 duration_us:2}}
ts:20 event:{on:2 name:"none" legacy:{phase:63}}
)",
     "0+2000 whole main\n", "unsupported_event=1 "},
    {"PacketsTheWriterLost", R"(
seq:1 dropped:1 ts:1 event:{type:3 on:2 name:"x"}
seq:1 1:{1:1}
)",
     "0+0 x main instant\n", "other_data=1 packets_dropped=1 "},
};

TEST_F(PerfettoImport, MalicePropertiesNestedWithoutEndAreNoneAndCounted) {
  constexpr size_t kDeep = 500'000;
  const std::string deep = std::string(kDeep, '[') + std::string(kDeep, ']');
  for (const char* event : {R"(name:"device_properties" note:{key:"properties" text:"{'id':)",
                            R"(name:"trace_metadata" note:{key:"distributedInfo" text:"{'a':)"}) {
    Read(TraceText::Trace(std::string(kTracks) + "ts:1 event:{type:3 on:2 name:\"x\"}\n" +
                          "event:{type:3 on:2 " + event + deep + "}\"}}\n"));
    ASSERT_TRUE(status_.ok()) << status_.error().text();
    const auto facts = reader_->Read<store::RunMetadataRow>();
    ASSERT_TRUE(facts.ok());
    for (const auto& fact : *facts) {
      EXPECT_EQ(reader_->Text(fact.kind), "source");
    }
    EXPECT_EQ(Losses(), "missing_metadata=1 ");
  }
}

TEST_F(PerfettoImport, MetadataThatIsNoSoundJsonIsCounted) {
  for (const char* note :
       {R"(name:"device_properties" note:{key:"properties" text:"{'id':"})",
        R"(name:"trace_metadata" note:{key:"distributedInfo" text:"{'rank':"})",
        R"(name:"trace_metadata" note:{key:"distributedInfo" text:"['rank', 1]"})"}) {
    Read(TraceText::Trace(std::string(kTracks) + "ts:1 event:{type:3 on:2 name:\"x\"}\n" +
                          "event:{type:3 on:2 " + note + "}\n"));
    ASSERT_TRUE(status_.ok()) << status_.error().text();
    EXPECT_EQ(Losses(), "missing_metadata=1 ") << note;
  }
  Read(TraceText::Trace(std::string(kTracks) + "ts:1 event:{type:3 on:2 name:\"x\"}\n" +
                        R"(event:{type:3 on:2 name:"trace_metadata" )"
                        R"(note:{key:"distributedInfo" text:"{'rank': 3}"}})"));
  ASSERT_TRUE(status_.ok()) << status_.error().text();
  EXPECT_EQ(Losses(), "");
  EXPECT_EQ(reader_->Read<store::RunMetadataRow>()->size(), 2u) << "the source and the job";
}

// What an export of ours says of a slice comes back: each column by its name.
TEST_F(PerfettoImport, OurOwnTraceBringsEveryColumn) {
  std::string notes;
  const auto add = [&](const auto& field) {
    using Value = std::remove_cvref_t<decltype(store::SliceRow().*field.member)>;
    if constexpr (std::is_same_v<Value, std::optional<int64_t>>) {
      notes += fmt::format(" note:{{key:\"{}\" int:7}}", field.name);
    } else if (field.unit == store::Unit::kJson) {
      notes += fmt::format(" note:{{key:\"{}\" text:\"{{'a':1}}\"}}", field.name);
    }
  };
  store::ForEachField<store::SliceRow>(add);
  Read(
      TraceText::Trace("seq:1 track:{uuid:2 description:\"steptrace {'track':4,'kind':'thread',"
                       "'rank':0,'pid':10,'tid':11}\"}\n"
                       "ts:1 event:{type:1 on:2 name:\"x\" cat:\"c\"" +
                       notes + "}\nts:5 event:{type:2 on:2}\n"));
  ASSERT_TRUE(status_.ok()) << status_.error().text();
  const auto rows = *reader_->Read<store::SliceRow>();
  ASSERT_EQ(rows.size(), 1u);
  store::ForEachField<store::SliceRow>([&](const auto& field) {
    using Value = std::remove_cvref_t<decltype(store::SliceRow().*field.member)>;
    const Value& value = rows[0].*field.member;
    if constexpr (std::is_same_v<Value, std::optional<int64_t>>) {
      EXPECT_EQ(value, 7) << field.name;
    } else if (field.unit == store::Unit::kJson) {
      EXPECT_NE(value, Value{}) << field.name;
    }
  });
}

class PerfettoCases : public PerfettoImport, public testing::WithParamInterface<Case> {};

TEST_P(PerfettoCases, BecomesRows) {
  Read(TraceText::Trace(std::string(kTracks) + GetParam().trace));
  ASSERT_TRUE(status_.ok()) << status_.error().text();
  EXPECT_EQ(Slices(), GetParam().slices);
  EXPECT_EQ(Losses(), GetParam().losses);
  EXPECT_EQ(Counters(), GetParam().counters);
}

INSTANTIATE_TEST_SUITE_P(All, PerfettoCases, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace steptrace::import::perfetto
