// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/python_api.h"

// The script's own tools, which see what runs in its interpreter: a tracer (sys.settrace: pdb,
// coverage), a profiler (sys.setprofile: cProfile, torch.profiler with stacks), one of
// sys.monitoring. While one is on, nothing of ours is to be seen, so the hooks step aside; when the
// last is off they come back.
//
//   not aside ── a tool is about to begin: aside(tool) ──────────────────► aside
//    │  ▲                                                                 ▲  │
//    │  └───────────── back() ── no tool is on in any thread ◄────────────┼──┘
//    └ … beside other threads ──► out of sight ── the main thread: aside(tool)
//
// That one begins Python itself says, before it is on and whoever begins it: by an audit event (PEP
// 578). In that event other threads must not go on: CPython 3.10 and 3.11 refuse a tool that one
// sets meanwhile, and 3.12 goes through the threads and needs each to be there still. So where
// there are others no Python runs in it. What a tool would see, functions' codes and the import
// finder, is exchanged by C at once (python_exchange.h), and the main thread does the rest at its
// next instruction. That one has ended shows where a thread looks: after such an event, at any
// audit event, after a collection.
namespace steptrace::probe {

// Methods of the module (_probe.pyi): tools_watch(aside, back, finder), tools_record(aside, back),
// tools_change(own, changed, function), tools_made(own, changed, function), tools_uncaught(tell),
// tools_audited().
PyObject* ToolsWatch(PyObject* module, PyObject* const* items, Py_ssize_t count);
PyObject* ToolsRecord(PyObject* module, PyObject* const* items, Py_ssize_t count);
PyObject* ToolsChange(PyObject* module, PyObject* const* items, Py_ssize_t count);
PyObject* ToolsMade(PyObject* module, PyObject* const* items, Py_ssize_t count);
PyObject* ToolsUncaught(PyObject* module, PyObject* tell);
PyObject* ToolsAudited(PyObject* module, PyObject* none);

// A tool that says it in no thread of its own is about to begin: as if its event had come. False
// with Python's error.
bool ExpectTool(const char* tool);

// What grows while it is on (a window of ours) steps aside as soon as it can, seen or not.
void RequestPause(bool urgent);

// Of the profiler that is on; kChanging: what begins or ends meanwhile is ours.
enum class Own : unsigned char { kNot, kOn, kChanging };
void OwnTool(Own own);

// Aside, or out of sight.
bool ToolsAside();

// A collection has ended in this thread, which may have no tool any more. Runs no Python.
void CheckForTools();

}  // namespace steptrace::probe
