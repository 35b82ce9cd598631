// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "probe/nvtx_abi.h"
#include "wire/vocabulary.h"

// What NVTX's calls name: domains, categories, registered strings, layouts of payloads. All of it
// lies in static memory for the life of the process; what finds no room is passed over. Any thread.
// Handles are ours to give out; one that is not ours counts as none.
namespace steptrace::probe {

// The name of a range or mark in the ring: "message", "domain: message", "domain/category:
// message". 0: no text, or no room for another name.
uint32_t NvtxName(nvtx::Domain domain, const nvtx::EventAttributes* event, uint16_t category);
uint32_t NvtxName(nvtx::Domain domain, const char* text, uint16_t category);
uint32_t NvtxName(nvtx::Domain domain, const wchar_t* text, uint16_t category);

// A whole number of the event's payload; of an extended one, SizeInPayloads(). 0: none.
uint64_t PayloadOfNvtx(const nvtx::EventAttributes* event);
// The first field of 64 bits whose name speaks of a size, of the first payload whose layout is
// known. 0: none, or the payload ends before it.
uint64_t SizeInPayloads(const nvtx::PayloadData* payloads, size_t count);

// The number of the layout: the caller's own, or a new one. 0: not taken.
uint64_t RegisterNvtxSchema(nvtx::Domain, const nvtx::SchemaAttributes* schema);

// Null: no room, or no name. The copies of NVTX in one process get the same domain for one name.
nvtx::Domain NvtxDomainCreateA(const char* name);
nvtx::Domain NvtxDomainCreateW(const wchar_t* name);
nvtx::String NvtxRegisterStringA(nvtx::Domain domain, const char* text);
nvtx::String NvtxRegisterStringW(nvtx::Domain domain, const wchar_t* text);
void NvtxNameCategoryA(nvtx::Domain domain, uint32_t category, const char* name);
void NvtxNameCategoryW(nvtx::Domain domain, uint32_t category, const wchar_t* name);

// In the child.
void ResetNvtxNamesAfterFork();

}  // namespace steptrace::probe
