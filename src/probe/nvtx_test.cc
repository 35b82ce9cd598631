// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <optional>
#include <thread>

#include "probe/nvtx_abi.h"
#include "testing/rings.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

extern "C" int InitializeInjectionNvtx2(steptrace::probe::nvtx::GetExportTable get_export_table);
extern "C" int InitializeInjectionNvtxExtension(steptrace::probe::nvtx::ExtModuleInfo* module);

namespace steptrace::probe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using transport::testing::DrainAll;
using transport::testing::ProcessTrace;
using transport::testing::TestRingFolder;
using transport::testing::WhyNotNested;

// What a library that includes NVTX's header has of its own: places for pointers, in tables by
// module. One of it at a time can be asked for its tables, as the header's function has no
// argument.
class Copy {
 public:
  static constexpr unsigned kSlots = 16;

  explicit Copy(unsigned slots = kSlots) : slots_(slots) {
    for (unsigned i = 0; i < kSlots; ++i) {
      core_table_[i] = i == 0 ? nullptr : &core_[i];
      core2_table_[i] = i == 0 ? nullptr : &core2_[i];
    }
  }
  int Load() {
    asked_ = this;
    return InitializeInjectionNvtx2(&Copy::GetTable);
  }
  int LoadPayloads(uint16_t compat = 0x104, size_t slots = 64) {
    nvtx::ExtSegment segment{0, slots, payload_};
    nvtx::ExtModuleInfo module{
        3,      sizeof(nvtx::ExtModuleInfo), nvtx::kPayloadModule, compat, 1, &segment, nullptr,
        nullptr};
    return InitializeInjectionNvtxExtension(&module);
  }

  template <class Function>
  Function* Core(uint32_t slot) const {
    return reinterpret_cast<Function*>(core_[slot]);
  }
  template <class Function>
  Function* Core2(uint32_t slot) const {
    return reinterpret_cast<Function*>(core2_[slot]);
  }
  template <class Function>
  Function* Payload(uint32_t slot) const {
    return reinterpret_cast<Function*>(payload_[slot]);
  }

  int PushA(const char* text) const { return Core<int(const char*)>(nvtx::kRangePushA)(text); }
  int Pop() const { return Core<int()>(nvtx::kRangePop)(); }
  nvtx::Domain DomainOf(const char* name) const {
    return Core2<nvtx::Domain(const char*)>(nvtx::kDomainCreateA)(name);
  }
  nvtx::String Register(nvtx::Domain domain, const char* text) const {
    return Core2<nvtx::String(nvtx::Domain, const char*)>(nvtx::kDomainRegisterStringA)(domain,
                                                                                        text);
  }
  int Push(nvtx::Domain domain, const nvtx::EventAttributes& event) const {
    return Core2<int(nvtx::Domain, const nvtx::EventAttributes*)>(nvtx::kDomainRangePushEx)(domain,
                                                                                            &event);
  }
  int Pop(nvtx::Domain domain) const {
    return Core2<int(nvtx::Domain)>(nvtx::kDomainRangePop)(domain);
  }
  nvtx::RangeId Start(nvtx::Domain domain, const nvtx::EventAttributes& event) const {
    return Core2<nvtx::RangeId(nvtx::Domain, const nvtx::EventAttributes*)>(
        nvtx::kDomainRangeStartEx)(domain, &event);
  }
  void End(nvtx::Domain domain, nvtx::RangeId id) const {
    Core2<void(nvtx::Domain, nvtx::RangeId)>(nvtx::kDomainRangeEnd)(domain, id);
  }

 private:
  static int GetModule(int32_t module, nvtx::FunctionTable* table, unsigned* size) {
    if (module != 1 && module != 5) return 0;
    *table = module == 1 ? asked_->core_table_ : asked_->core2_table_;
    *size = asked_->slots_;
    return 1;
  }
  static const void* GetTable(uint32_t id) {
    static const nvtx::CallbacksTable callbacks{sizeof(nvtx::CallbacksTable), GetModule};
    return id == 1 ? &callbacks : nullptr;
  }

  static inline Copy* asked_ = nullptr;
  unsigned slots_;
  nvtx::FunctionPointer core_[kSlots]{};
  nvtx::FunctionPointer core2_[kSlots]{};
  nvtx::FunctionPointer* core_table_[kSlots]{};
  nvtx::FunctionPointer* core2_table_[kSlots]{};
  intptr_t payload_[64]{};
};

nvtx::EventAttributes Ascii(const char* text, uint32_t category = 0) {
  nvtx::EventAttributes event{};
  event.version = 3;
  event.size = sizeof event;
  event.category = category;
  event.message_type = static_cast<int32_t>(nvtx::MessageType::kAscii);
  event.message.ascii = text;
  return event;
}

nvtx::EventAttributes Registered(nvtx::String text) {
  nvtx::EventAttributes event = Ascii(nullptr);
  event.message_type = static_cast<int32_t>(nvtx::MessageType::kRegistered);
  event.message.registered = text;
  return event;
}

class NvtxTest : public ::testing::Test {
 protected:
  NvtxTest() {
    transport::Attach();
    EXPECT_EQ(copy_.Load(), 1);
    EXPECT_EQ(copy_.LoadPayloads(), 1);
  }
  ~NvtxTest() override { transport::DetachForTesting(); }

  ProcessTrace Trace() { return DrainAll(folder_.OpenOnly()); }

  // "+name" and "-name" of the first thread, ".name" for marks, "=name" for what was started and
  // ended.
  static std::vector<std::string> Events(const ProcessTrace& trace) {
    std::vector<std::string> events;
    for (const auto& record : trace.threads.at(0).records) {
      const auto kind = static_cast<wire::RecordKind>(record.kind);
      const char* mark = kind == wire::RecordKind::kBegin      ? "+"
                         : kind == wire::RecordKind::kEnd      ? "-"
                         : kind == wire::RecordKind::kComplete ? "="
                                                               : ".";
      events.push_back(mark + trace.NameOf(record));
    }
    return events;
  }

  TestRingFolder folder_;
  Copy copy_;
};

TEST_F(NvtxTest, PushesAndPopsNestOnTheirThread) {
  EXPECT_EQ(copy_.PushA("outer"), 0);
  EXPECT_EQ(copy_.PushA("inner"), 1);
  EXPECT_EQ(copy_.Pop(), 1);
  EXPECT_EQ(copy_.Pop(), 0);
  EXPECT_LT(copy_.Pop(), 0);
  const ProcessTrace trace = Trace();
  EXPECT_THAT(Events(trace), ElementsAre("+outer", "+inner", "-inner", "-outer"));
  EXPECT_EQ(trace.names.at(0).category, static_cast<uint16_t>(wire::Category::kUser));
}

TEST_F(NvtxTest, DomainsAndCategoriesStandBeforeTheMessage) {
  const nvtx::Domain domain = copy_.DomainOf("mine");
  copy_.Core2<void(nvtx::Domain, uint32_t, const char*)>(nvtx::kDomainNameCategoryA)(domain, 7,
                                                                                     "io");
  copy_.Core<void(uint32_t, const char*)>(nvtx::kNameCategoryA)(7, "of the default");
  copy_.Push(domain, Ascii("read", 7));
  copy_.Push(domain, Ascii("parse", 8));  // a category without a name
  copy_.Pop(domain);
  copy_.Pop(domain);
  copy_.Push(nullptr, Ascii("other", 7));
  copy_.Pop(nullptr);
  EXPECT_THAT(Events(Trace()),
              ElementsAre("+mine/io: read", "+mine: parse", "-mine: parse", "-mine/io: read",
                          "+/of the default: other", "-/of the default: other"));
}

TEST_F(NvtxTest, DomainsThatDoNotNestKeepTheRingNested) {
  const nvtx::Domain a = copy_.DomainOf("a");
  const nvtx::Domain b = copy_.DomainOf("b");
  EXPECT_EQ(copy_.Push(a, Ascii("x")), 0);
  EXPECT_EQ(copy_.Push(b, Ascii("y")), 0);
  EXPECT_EQ(copy_.Pop(a), 0);  // waits for what is open inside
  EXPECT_EQ(copy_.Pop(b), 0);
  const ProcessTrace trace = Trace();
  EXPECT_THAT(Events(trace), ElementsAre("+a: x", "+b: y", "-b: y", "-a: x"));
  EXPECT_EQ(WhyNotNested(trace.threads.at(0).records), "");
}

TEST_F(NvtxTest, RangesOfTheHooksMayLieBetween) {
  const uint32_t backward =
      transport::Name("backward", 8, static_cast<uint16_t>(wire::Category::kPhase));
  copy_.PushA("outer");
  transport::Begin(backward);
  copy_.Pop();
  transport::End();
  copy_.PushA("next");
  copy_.Pop();
  EXPECT_EQ(WhyNotNested(Trace().threads.at(0).records), "");
}

TEST_F(NvtxTest, RegisteredStringsAreNamesOfTheirDomain) {
  const nvtx::Domain domain = copy_.DomainOf("NCCL");
  const nvtx::String text = copy_.Register(domain, "ncclAllReduce");
  for (int i = 0; i < 3; ++i) {
    copy_.Push(domain, Registered(text));
    copy_.Pop(domain);
  }
  const ProcessTrace trace = Trace();
  EXPECT_EQ(trace.CountOf("NCCL: ncclAllReduce", wire::RecordKind::kBegin), 3u);
  EXPECT_EQ(trace.names.size(), 1u);
}

TEST_F(NvtxTest, SeveralCopiesShareDomainsAndNames) {
  Copy other;
  EXPECT_EQ(other.Load(), 1);
  const nvtx::Domain one = copy_.DomainOf("cuBLAS");
  EXPECT_EQ(other.DomainOf("cuBLAS"), one);
  copy_.Push(one, Ascii("gemm"));
  other.Pop(one);
  EXPECT_THAT(Events(Trace()), ElementsAre("+cuBLAS: gemm", "-cuBLAS: gemm"));
}

TEST_F(NvtxTest, StartedRangesEndOnAnyThreadInAnyOrder) {
  const nvtx::RangeId first = copy_.Start(nullptr, Ascii("first"));
  const nvtx::RangeId second = copy_.Start(copy_.DomainOf("io"), Ascii("second"));
  EXPECT_NE(first, second);
  std::thread([&] { copy_.End(nullptr, first); }).join();
  copy_.End(nullptr, second);
  copy_.End(nullptr, second);  // again, and what never was
  copy_.End(nullptr, 0);
  copy_.End(nullptr, std::numeric_limits<nvtx::RangeId>::max());
  const ProcessTrace trace = Trace();
  EXPECT_EQ(trace.CountOf("first", wire::RecordKind::kComplete), 1u);
  EXPECT_EQ(trace.CountOf("io: second", wire::RecordKind::kComplete), 1u);
  for (const auto& thread : trace.threads) {
    for (const auto& record : thread.records) {
      EXPECT_EQ(trace.names.at(record.name - 1).category,
                static_cast<uint16_t>(wire::Category::kAsync));
      EXPECT_LE(record.tsc, record.b);
    }
  }
}

TEST_F(NvtxTest, StartedRangesAreBounded) {
  std::vector<nvtx::RangeId> ids;
  for (int i = 0; i < 5000; ++i) ids.push_back(copy_.Start(nullptr, Ascii("kept open")));
  EXPECT_EQ(ids.back(), 0u);
  for (const nvtx::RangeId id : ids) copy_.End(nullptr, id);
  EXPECT_NE(copy_.Start(nullptr, Ascii("again")), 0u);
}

TEST_F(NvtxTest, MarksAndNumbersOfPayloads) {
  nvtx::EventAttributes event = Ascii("here");
  event.payload_type = static_cast<int32_t>(nvtx::PayloadType::kInt32);
  event.payload.int32 = -5;
  copy_.Core<void(const nvtx::EventAttributes*)>(nvtx::kMarkEx)(&event);
  copy_.Core<void(const wchar_t*)>(nvtx::kMarkW)(L"gr\u00fc\u00dfe \U0001F600");
  const ProcessTrace trace = Trace();
  EXPECT_THAT(Events(trace), ElementsAre(".here", ".grüße \xF0\x9F\x98\x80"));
  EXPECT_EQ(static_cast<int64_t>(trace.threads.at(0).records.at(0).a), -5);
}

// ---- extended payloads, as NCCL has them ----

struct NcclPayload {
  uint64_t communicator;
  uint64_t bytes;
};

class NvtxPayloadTest : public NvtxTest {
 protected:
  uint64_t Schema(uint64_t id, size_t entries = 2, const nvtx::SchemaEntry* at = nullptr) {
    static const nvtx::SchemaEntry fields[] = {
        {0, 18, "NCCL communicator ID", nullptr, 0, 0, nullptr, nullptr},
        {0, 22, "Message size [bytes]", nullptr, 0, offsetof(NcclPayload, bytes), nullptr,
         nullptr}};
    nvtx::SchemaAttributes schema{};
    schema.field_mask = nvtx::kSchemaHasType | nvtx::kSchemaHasEntries | nvtx::kSchemaHasCount |
                        nvtx::kSchemaHasId | nvtx::kSchemaHasStaticSize;
    schema.type = nvtx::kStaticSchema;
    schema.entries = at != nullptr ? at : fields;
    schema.entry_count = entries;
    schema.static_size = sizeof(NcclPayload);
    schema.schema_id = id;
    return copy_.Payload<uint64_t(nvtx::Domain, const nvtx::SchemaAttributes*)>(
        nvtx::kSchemaRegister)(nullptr, &schema);
  }

  // What a push with that payload tells.
  uint64_t BytesReported(const nvtx::PayloadData* data, int32_t count) {
    nvtx::EventAttributes event = Ascii("ncclAllReduce");
    event.payload_type = static_cast<int32_t>(nvtx::PayloadType::kExtended);
    event.payload_count = count;
    event.payload.pointer = data;
    copy_.Push(nullptr, event);
    copy_.Payload<int(nvtx::Domain, const nvtx::PayloadData*, size_t)>(nvtx::kRangePopPayload)(
        nullptr, data, static_cast<size_t>(count));
    const ProcessTrace trace = Trace();
    EXPECT_EQ(WhyNotNested(trace.threads.at(0).records), "");
    return trace.threads.at(0).records.at(trace.threads.at(0).records.size() - 2).a;
  }

  NcclPayload payload_{0xABCD, 4096};
};

TEST_F(NvtxPayloadTest, TheSizeOfANcclCallIsTold) {
  EXPECT_EQ(Schema(0x1000005), 0x1000005u);
  const nvtx::PayloadData data{0x1000005, sizeof payload_, &payload_};
  EXPECT_EQ(BytesReported(&data, 1), 4096u);
}

TEST_F(NvtxPayloadTest, SchemasWithoutANumberGetOne) {
  EXPECT_NE(Schema(0), Schema(0));
}

TEST_F(NvtxPayloadTest, DamagedPayloadsTellNothing) {
  Schema(0x1000006);
  const nvtx::SchemaEntry far[] = {
      {0, 18, "first", nullptr, 0, 0, nullptr, nullptr},
      {0, 22, "size", nullptr, 0, std::numeric_limits<uint64_t>::max() - 3, nullptr, nullptr}};
  Schema(0x1000007, 2, far);
  const nvtx::PayloadData damaged[] = {
      {0x1000006, sizeof payload_, nullptr},  // nothing there
      {0x1000006, 12, &payload_},             // ends before the field
      {0x1000006, 0, &payload_},
      {0x1000006, std::numeric_limits<size_t>::max(), &payload_},
      {0x1000007, sizeof payload_, &payload_},  // a field beyond everything
      {77, sizeof payload_, &payload_},         // a schema that nobody registered
  };
  for (const auto& data : damaged) EXPECT_EQ(BytesReported(&data, 1), 0u);
  EXPECT_EQ(BytesReported(nullptr, 3), 0u);
  EXPECT_EQ(BytesReported(damaged, -1), 0u);
}

TEST_F(NvtxPayloadTest, DamagedSchemasAreNone) {
  EXPECT_EQ(copy_.Payload<uint64_t(nvtx::Domain, const nvtx::SchemaAttributes*)>(
                nvtx::kSchemaRegister)(nullptr, nullptr),
            0u);
  nvtx::SchemaAttributes empty{};
  EXPECT_NE(copy_.Payload<uint64_t(nvtx::Domain, const nvtx::SchemaAttributes*)>(
                nvtx::kSchemaRegister)(nullptr, &empty),
            0u);
}

TEST_F(NvtxPayloadTest, RangesOfPayloadsAloneNest) {
  copy_.Payload<int(nvtx::Domain, const nvtx::PayloadData*, size_t)>(nvtx::kRangePushPayload)(
      nullptr, nullptr, 0);
  copy_.Payload<int(nvtx::Domain, const nvtx::PayloadData*, size_t)>(nvtx::kRangePopPayload)(
      nullptr, nullptr, 0);
  EXPECT_THAT(Events(Trace()), ElementsAre("+(no name)", "-(no name)"));
}

// ---- malice, other versions, fork ----

TEST_F(NvtxTest, OtherTablesAreFilledAsFarAsTheyGo) {
  Copy smaller(8);
  EXPECT_EQ(smaller.Load(), 1);
  EXPECT_NE(smaller.Core<void()>(nvtx::kRangeEnd), nullptr);
  EXPECT_EQ(smaller.Core<void()>(nvtx::kRangePushEx), nullptr);
  Copy shorter;
  EXPECT_EQ(shorter.LoadPayloads(0x103, 4), 1);
  EXPECT_EQ(shorter.Payload<void()>(nvtx::kRangePopPayload), nullptr);
  EXPECT_EQ(InitializeInjectionNvtx2(nullptr), 0);
  EXPECT_EQ(InitializeInjectionNvtx2([](uint32_t) -> const void* { return nullptr; }), 0);
  EXPECT_EQ(InitializeInjectionNvtxExtension(nullptr), 0);
}

TEST_F(NvtxTest, NullMessagesAndForeignHandlesAreHarmless) {
  int other = 0;
  copy_.PushA(nullptr);
  copy_.Pop();
  copy_.Push(&other, Ascii("of a domain that is not ours"));
  copy_.Pop(&other);
  copy_.Push(nullptr, Registered(&other));
  copy_.Pop(nullptr);
  copy_.Push(nullptr, Ascii(nullptr));
  copy_.Pop(nullptr);
  EXPECT_EQ(copy_.DomainOf(nullptr), nullptr);
  EXPECT_EQ(copy_.Register(nullptr, nullptr), nullptr);
  EXPECT_EQ(copy_.Core2<int(nvtx::Domain, const nvtx::EventAttributes*)>(nvtx::kDomainRangePushEx)(
                nullptr, nullptr),
            0);
  copy_.Pop(nullptr);
  EXPECT_THAT(Events(Trace()),
              ElementsAre("+of a domain that is not ours", "-of a domain that is not ours",
                          "+(no name)", "-(no name)", "+(no name)", "-(no name)"));
}

TEST_F(NvtxTest, DeeperThanTheListStaysNested) {
  for (int i = 0; i < 200; ++i) EXPECT_EQ(copy_.PushA("deep"), i);
  for (int i = 199; i >= 0; --i) EXPECT_EQ(copy_.Pop(), i);
  copy_.PushA("after");
  copy_.Pop();
  const ProcessTrace trace = Trace();
  EXPECT_EQ(WhyNotNested(trace.threads.at(0).records), "");
  EXPECT_EQ(trace.CountOf("deep", wire::RecordKind::kBegin), 64u);
  EXPECT_EQ(trace.CountOf("after", wire::RecordKind::kEnd), 1u);
}

TEST_F(NvtxTest, LongTextsAreCut) {
  const std::string text(100'000, 'x');
  copy_.PushA(text.c_str());
  copy_.Pop();
  EXPECT_LT(Trace().names.at(0).text.size(), 1024u);
}

TEST_F(NvtxTest, AForkedChildBeginsWithNothingOpen) {
  copy_.PushA("parent's");
  const pid_t child = fork();
  if (child == 0) {
    const bool clean = copy_.Pop() < 0 && copy_.PushA("child's") == 0 && copy_.Pop() == 0;
    _exit(clean ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(copy_.Pop(), 0);
}

TEST(NvtxWithoutARun, NothingIsTaken) {
  transport::DetachForTesting();
  unsetenv("STEPTRACE_RING_DIR");
  Copy copy;
  EXPECT_EQ(copy.Load(), 0);
  EXPECT_EQ(copy.LoadPayloads(), 0);
  EXPECT_EQ(copy.Core<void()>(nvtx::kRangePop), nullptr);
}

}  // namespace
}  // namespace steptrace::probe
