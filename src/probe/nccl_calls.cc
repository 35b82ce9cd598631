// SPDX-License-Identifier: Apache-2.0
#include "probe/nccl_calls.h"

#include <string.h>

#include "transport/writer/fixed_text.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::probe {
namespace {

namespace t = transport;

constexpr size_t kDetailsBytes = 640;

struct Spelling {
  const char* theirs;
  const char* ours;
  uint32_t bytes;
};

bool IsNcclText(const char* text, const char* wanted) {
  return strncmp(text, wanted, 64) == 0;
}

// As torch.distributed names it; null: as NCCL does.
const char* NameOfFunction(const char* function) {
  constexpr Spelling kNames[] = {{"AllReduce", "all_reduce", 0},
                                 {"AllGather", "all_gather", 0},
                                 {"ReduceScatter", "reduce_scatter", 0},
                                 {"Broadcast", "broadcast", 0},
                                 {"Reduce", "reduce", 0},
                                 {"Send", "send", 0},
                                 {"Recv", "recv", 0},
                                 {"SendRecv", "send_recv", 0},
                                 {"AllToAll", "all_to_all", 0},
                                 {"Gather", "gather", 0},
                                 {"Scatter", "scatter", 0}};
  for (const Spelling& one : kNames) {
    if (IsNcclText(function, one.theirs)) return one.ours;
  }
  return nullptr;
}

// As torch names the type, and its size; 0: not known.
Spelling TypeOf(const char* datatype) {
  constexpr Spelling kTypes[] = {{"ncclInt8", "Char", 1},      {"ncclUint8", "Byte", 1},
                                 {"ncclInt32", "Int", 4},      {"ncclUint32", "Int", 4},
                                 {"ncclInt64", "Long", 8},     {"ncclUint64", "Long", 8},
                                 {"ncclFloat16", "Half", 2},   {"ncclFloat32", "Float", 4},
                                 {"ncclFloat64", "Double", 8}, {"ncclBfloat16", "BFloat16", 2}};
  for (const Spelling& one : kTypes) {
    if (datatype != nullptr && IsNcclText(datatype, one.theirs)) return one;
  }
  return {nullptr, nullptr, 0};
}

// Only what needs no escape in JSON, cut: texts of NCCL's own, and the user's name of a
// communicator.
class JsonText {
 public:
  JsonText(char* out, size_t capacity) : text_(out, capacity) { text_.Add("{"); }

  JsonText& Text(const char* key, const char* value) {
    if (value == nullptr || *value == 0) return *this;
    Key(key);
    text_.Add("\"");
    for (size_t i = 0; i < NcclCommunicator::kNameBytes && value[i] != 0; ++i) {
      const char c = value[i];
      const char plain[2] = {c >= ' ' && c != '"' && c != '\\' && c != 0x7F ? c : '_', 0};
      text_.Add(plain);
    }
    text_.Add("\"");
    return *this;
  }
  JsonText& Number(const char* key, uint64_t value) {
    Key(key);
    text_.Add(value);
    return *this;
  }
  JsonText& Hash(const char* key, uint64_t value, const char* more = "") {
    Key(key);
    text_.Add("\"0x");
    char digits[17] = {};
    for (int i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    text_.Add(digits).Add(more).Add("\"");
    return *this;
  }
  // Bytes; 0: it did not fit.
  size_t End() {
    text_.Add("}");
    return text_.cut() ? 0 : text_.size();
  }

 private:
  void Key(const char* key) {
    if (text_.size() > 1) text_.Add(",");
    text_.Add("\"").Add(key).Add("\":");
  }
  t::FixedText text_;
};

}  // namespace

const char* NcclFunctionText(uint8_t function) {
  constexpr const char* kFunctions[] = {"Broadcast", "Reduce",   "AllGather", "ReduceScatter",
                                        "AllReduce", "SendRecv", "Send",      "Recv"};
  return function < 8 ? kFunctions[function] : nullptr;
}
const char* NcclDatatypeText(uint8_t datatype) {
  constexpr const char* kTypes[] = {"ncclInt8",    "ncclUint8",   "ncclInt32",   "ncclUint32",
                                    "ncclInt64",   "ncclUint64",  "ncclFloat16", "ncclFloat32",
                                    "ncclFloat64", "ncclBfloat16"};
  return datatype < 10 ? kTypes[datatype] : nullptr;
}
const char* NcclAlgorithmText(uint8_t algorithm) {
  constexpr const char* kAlgorithms[] = {
      "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
  return algorithm < 7 ? kAlgorithms[algorithm] : nullptr;
}
const char* NcclProtocolText(uint8_t protocol) {
  constexpr const char* kProtocols[] = {"LL", "LL128", "SIMPLE"};
  return protocol < 3 ? kProtocols[protocol] : nullptr;
}

uint64_t NcclBytes(const NcclCall& call, const NcclCommunicator& comm) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(call.count, uint64_t{TypeOf(call.datatype).bytes}, &bytes)) return 0;
  const bool all_parts = call.function != nullptr && IsNcclText(call.function, "ReduceScatter");
  if (!all_parts) return bytes;
  return __builtin_mul_overflow(bytes, static_cast<uint64_t>(comm.ranks), &bytes) ? 0 : bytes;
}

void RecordNcclCommunicator(const NcclCommunicator& comm) {
  char json[kDetailsBytes];
  JsonText text(json, sizeof json);
  text.Text("source", "NCCL").Hash("group", comm.hash).Text("name", comm.name);
  if (comm.ranks > 0) text.Number("size", static_cast<uint64_t>(comm.ranks));
  if (comm.rank >= 0) text.Number("rank", static_cast<uint64_t>(comm.rank));
  const size_t bytes = text.End();
  if (bytes > 0) t::Fact(wire::kFactCommunicator, strlen(wire::kFactCommunicator), json, bytes);
}

uint32_t NcclDetails(const NcclCall& call, const NcclCommunicator& comm) {
  char json[kDetailsBytes];
  JsonText text(json, sizeof json);
  // Transfers have no number: they are no part of the collectives' count.
  text.Text("Collective name", call.function)
      .Hash("Process Group Name", comm.hash, call.transfer ? " transfers" : "")
      .Text("Process Group Description", comm.name)
      .Text("dtype", TypeOf(call.datatype).ours)
      .Text("Algorithm", call.algorithm)
      .Text("Protocol", call.protocol);
  if (comm.ranks > 0) text.Number("Group size", static_cast<uint64_t>(comm.ranks));
  if (call.channels > 0) text.Number("Channels", call.channels);
  // Peers count in the communicator: only in that of all ranks they are the job's.
  if (call.transfer && call.peer >= 0 && comm.holds_all) {
    const bool sends = call.function != nullptr && IsNcclText(call.function, "Send");
    text.Number(sends ? "Dst Rank" : "Src Rank", static_cast<uint64_t>(call.peer));
  }
  const size_t bytes = text.End();
  return bytes == 0 ? 0 : t::Name(json, bytes, static_cast<uint16_t>(wire::Category::kDetails));
}

// FNV-1a, which spreads short texts well enough for few kinds of calls.
uint64_t NcclCallKey(const NcclCall& call) {
  constexpr uint64_t kOffset = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  uint64_t key = kOffset;
  for (const char* text : {call.function, call.datatype, call.algorithm, call.protocol}) {
    for (; text != nullptr && *text != 0; ++text) {
      key = (key ^ static_cast<uint8_t>(*text)) * kPrime;
    }
    key = (key ^ 0xFF) * kPrime;  // ends a text
  }
  const auto peer = static_cast<uint32_t>(call.peer);
  key = (key ^ (uint64_t{peer} << 16 | uint64_t{call.channels} << 1 | (call.transfer ? 1 : 0))) *
        kPrime;
  return key ^ key >> 32;
}

uint32_t NcclName(const NcclCall& call) {
  const char* name = call.function == nullptr ? "collective" : NameOfFunction(call.function);
  if (name == nullptr) name = call.function;
  return t::Name(name, strnlen(name, 64), static_cast<uint16_t>(wire::Category::kNccl));
}

}  // namespace steptrace::probe
