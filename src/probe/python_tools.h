// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/python_api.h"

// The script's own tools, which see what runs in its interpreter: a tracer (sys.settrace: pdb,
// coverage), a profiler (sys.setprofile: cProfile, torch.profiler with stacks), one of
// sys.monitoring. While one is on, nothing of ours is to be seen, so the hooks step aside; when the
// last is off they come back.
//
//   not aside ── a tool is about to begin: aside(tool) ──► aside
//       ▲                                                   │
//       └───── back() ── no tool is on in any thread ◄──────┘
//
// That one begins Python itself says, before it is on and whoever begins it: by an audit event (PEP
// 578). That one has ended shows where a thread looks: after such an event, at any audit event,
// after a collection.
namespace steptrace::probe {

// Calls aside(tool) and back() from now on. False: this interpreter is not watched.
bool WatchTools(PyObject* aside, PyObject* back);

// A tool that says it in no thread of its own is about to begin: as if its event had come. False
// with Python's error.
bool ExpectTool(const char* tool);

// Of the profiler that is on; kChanging: what begins or ends meanwhile is ours.
enum class Own : unsigned char { kNot, kOn, kChanging };
void OwnTool(Own own);

bool ToolsAside();

// A collection has ended in this thread, which may have no tool any more. Runs no Python.
void LookForTools();

// The class Quiet of python/steptrace/_probe.pyi: a new reference, or null with an error set.
PyObject* NewQuietType();

}  // namespace steptrace::probe
