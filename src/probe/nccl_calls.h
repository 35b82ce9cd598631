// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What NCCL tells of a call and its communicator, whatever the version, and how it is said to the
// agent. Nothing here is kept.
namespace steptrace::probe {

struct NcclCommunicator {
  static constexpr size_t kNameBytes = 64;
  uint64_t hash = 0;
  int32_t ranks = 0;       // 0: not reported
  int32_t rank = 0;        // below 0: not reported
  bool holds_all = false;  // the job's ranks
  char name[kNameBytes]{};
};

struct NcclCall {
  const char* function = nullptr;
  const char* datatype = nullptr;
  const char* algorithm = nullptr;
  const char* protocol = nullptr;
  uint64_t number = 0;  // from 1; 0: transfers are not counted
  uint64_t count = 0;
  uint8_t channels = 0;
  int32_t peer = -1;
  bool transfer = false;
};

// NCCL's names of a function (2.23, ncclFunc_t), a type, an algorithm and a protocol by number, as
// version 1 tells them; later ones tell texts. Null: no such number.
const char* NcclFunctionText(uint8_t function);
const char* NcclDatatypeText(uint8_t datatype);
const char* NcclAlgorithmText(uint8_t algorithm);
const char* NcclProtocolText(uint8_t protocol);
inline const char* NcclFunctionText(const char* text) {
  return text;
}
inline const char* NcclDatatypeText(const char* text) {
  return text;
}
inline const char* NcclAlgorithmText(const char* text) {
  return text;
}
inline const char* NcclProtocolText(const char* text) {
  return text;
}

// What this rank gives, as the hooks of torch.distributed count it; 0: not known.
uint64_t NcclBytes(const NcclCall& call, const NcclCommunicator& comm);
// Ids of the call's name and of its details (wire: kNccl, kDetails); 0: no room.
uint32_t NcclName(const NcclCall& call);
uint32_t NcclDetails(const NcclCall& call, const NcclCommunicator& comm);
// A number for all that the details are made of, but the communicator.
uint64_t NcclCallKey(const NcclCall& call);
// Leaves the fact `communicator`.
void RecordNcclCommunicator(const NcclCommunicator& comm);

}  // namespace steptrace::probe
