// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "steptrace/probe_v1.h"
#include "transport/writer/writer.h"

// The table for native code; python_module.cc is its sibling for Python.
namespace steptrace::probe {
namespace {

namespace t = transport;

constexpr uint32_t kTableVersion = 1;

int Attach() {
  return t::Attach() ? 1 : 0;
}
int Attached() {
  return t::Attached() ? 1 : 0;
}
void Begin(uint32_t name) {
  t::Begin(name);
}
void BeginArgs(uint32_t name, uint64_t a, uint64_t b) {
  t::Begin(name, a, b);
}
void End() {
  t::End();
}
void EndArgs(uint64_t a, uint64_t b) {
  t::End(a, b);
}
void Fact(const char* kind, const char* json) {
  t::Fact(kind, strlen(kind), json, strlen(json));
}
void Pause(int on) {
  t::Pause(on != 0);
}

}  // namespace
}  // namespace steptrace::probe

extern "C" __attribute__((visibility("default")))
const struct steptrace_probe_v1 steptrace_probe_v1 = {
    .bytes = sizeof(struct steptrace_probe_v1),
    .version = steptrace::probe::kTableVersion,
    .attach = steptrace::probe::Attach,
    .attached = steptrace::probe::Attached,
    .disarm = steptrace::transport::Disarm,
    .name = steptrace::transport::Name,
    .begin = steptrace::probe::Begin,
    .begin_args = steptrace::probe::BeginArgs,
    .end = steptrace::probe::End,
    .end_args = steptrace::probe::EndArgs,
    .begin_cpu = steptrace::transport::BeginCpu,
    .end_cpu = steptrace::transport::EndCpu,
    .instant = steptrace::transport::Instant,
    .counter = steptrace::transport::Counter,
    .fact = steptrace::probe::Fact,
    .pause = steptrace::probe::Pause,
};
