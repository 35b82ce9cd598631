// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/python_layout.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace steptrace::agent {
namespace {

constexpr uint64_t kPointer = 8;
constexpr char kCookie[] = "xdebugpy";
// The largest structure that is read, PyThreadState, has under 1 KiB; an interpreter state some
// 200 KiB, a runtime state more.
constexpr uint64_t kMaxSmallOffset = 4096;
constexpr uint64_t kMaxLargeOffset = uint64_t{16} << 20;

uint32_t MinorOf(uint32_t version) {
  return version >> 16;
}

Error Unknown(uint32_t version) {
  return Error{"CPython " + PythonVersionText(version) +
               ": its stacks can be read from outside from 3.11 to 3.14"};
}

// What all versions that are read have in common.
PythonLayout CommonLayout(uint32_t version) {
  PythonLayout layout;
  layout.version = version;
  layout.object = {.type = 8, .size = 16};
  layout.bytes = {.size = 16, .data = 32};
  layout.text = {.length = 16, .state = 32, .ascii_data = 40, .compact_data = 56};
  return layout;
}

PythonLayout Layout311(uint32_t version) {
  PythonLayout layout = CommonLayout(version);
  layout.runtime = {.interpreters_head = 40};
  layout.interpreter = {.next = 0, .threads_head = 16};
  layout.thread = {.prev = 0,
                   .next = 8,
                   .interpreter = 16,
                   .native_thread_id = 160,
                   .frame = 56,
                   .frame_in_c_frame = true,
                   .c_frame_current = 8};
  layout.frame = {.previous = 48,
                  .code = 32,
                  .instruction = 56,
                  .owner = 69,
                  .first_shim_owner = 3,
                  .tag_mask = 0};
  layout.code = {
      .filename = 112, .qualname = 128, .line_table = 136, .first_line = 72, .bytecode = 184};
  layout.text.ascii_data = 48;
  layout.text.compact_data = 72;
  return layout;
}

PythonLayout Layout312(uint32_t version) {
  PythonLayout layout = CommonLayout(version);
  layout.runtime = {.interpreters_head = 40};
  layout.interpreter = {.next = 0, .threads_head = 72};
  layout.thread = {.prev = 0,
                   .next = 8,
                   .interpreter = 16,
                   .native_thread_id = 144,
                   .frame = 56,
                   .frame_in_c_frame = true,
                   .c_frame_current = 0};
  layout.frame = {.previous = 8,
                  .code = 0,
                  .instruction = 56,
                  .owner = 70,
                  .first_shim_owner = 3,
                  .tag_mask = 0};
  layout.code = {
      .filename = 112, .qualname = 128, .line_table = 136, .first_line = 68, .bytecode = 192};
  return layout;
}

// Where each group begins among the words of the debug offsets; every group begins with the size of
// its structure.
struct Groups {
  size_t interpreter, thread, frame, code, object, bytes, text;
};
constexpr Groups kGroups313{6, 19, 28, 34, 44, 64, 67};
constexpr Groups kGroups314{6, 22, 31, 39, 50, 74, 77};
constexpr uint64_t kTagBits314 = 3;

class Words {
 public:
  Words(std::span<const uint64_t> words, bool& sane) : words_(words), sane_(sane) {}
  uint32_t Small(size_t index) { return Take(index, kMaxSmallOffset); }
  uint32_t Large(size_t index) { return Take(index, kMaxLargeOffset); }

 private:
  uint32_t Take(size_t index, uint64_t most) {
    const uint64_t value = index < words_.size() ? words_[index] : UINT64_MAX;
    sane_ &= value <= most;
    return static_cast<uint32_t>(std::min(value, most));
  }
  std::span<const uint64_t> words_;
  bool& sane_;
};

PythonLayout FromGroups(uint32_t version, const Groups& groups, Words words) {
  PythonLayout layout = CommonLayout(version);
  layout.runtime.interpreters_head = words.Large(5);
  layout.interpreter.next = words.Large(groups.interpreter + 2);
  layout.interpreter.threads_head = words.Large(groups.interpreter + 3);
  layout.thread.prev = words.Small(groups.thread + 1);
  layout.thread.next = words.Small(groups.thread + 2);
  layout.thread.interpreter = words.Small(groups.thread + 3);
  layout.thread.frame = words.Small(groups.thread + 4);
  layout.thread.native_thread_id = words.Small(groups.thread + 6);
  layout.frame.previous = words.Small(groups.frame + 1);
  layout.frame.code = words.Small(groups.frame + 2);
  layout.frame.instruction = words.Small(groups.frame + 3);
  layout.frame.owner = words.Small(groups.frame + 5);
  layout.frame.first_shim_owner = 3;
  layout.code.filename = words.Small(groups.code + 1);
  layout.code.qualname = words.Small(groups.code + 3);
  layout.code.line_table = words.Small(groups.code + 4);
  layout.code.first_line = words.Small(groups.code + 5);
  layout.code.bytecode = words.Small(groups.code + 9);
  layout.object.type = words.Small(groups.object + 1);
  layout.bytes.size = words.Small(groups.bytes + 1);
  layout.bytes.data = words.Small(groups.bytes + 2);
  layout.text.state = words.Small(groups.text + 1);
  layout.text.length = words.Small(groups.text + 2);
  layout.text.ascii_data = words.Small(groups.text + 3);
  layout.text.compact_data = layout.text.ascii_data + 2 * kPointer;  // utf8_length, utf8
  return layout;
}

// What no build of a version changes: another order of the words would show here.
bool IsPlausible(const PythonLayout& layout) {
  return layout.object.type == 8 && layout.bytes.size == 16 && layout.bytes.data == 32 &&
         layout.text.length == 16 && layout.text.ascii_data >= 40 && layout.text.ascii_data <= 64 &&
         layout.thread.prev == 0 && layout.thread.next == 8 && layout.thread.interpreter == 16 &&
         layout.thread.frame > 16 && layout.thread.native_thread_id > layout.thread.frame &&
         layout.frame.code == 0 && layout.frame.previous == 8 && layout.frame.instruction > 8 &&
         layout.frame.owner > layout.frame.instruction &&
         layout.code.qualname > layout.code.filename &&
         layout.code.line_table > layout.code.qualname &&
         layout.code.bytecode > layout.code.line_table && layout.code.first_line > 16;
}

}  // namespace

size_t PythonLayout::thread_bytes() const {
  return std::max({thread.prev, thread.next, thread.interpreter, thread.native_thread_id,
                   thread.frame}) +
         kPointer;
}

size_t PythonLayout::frame_bytes() const {
  return std::max({frame.previous, frame.code, frame.instruction, frame.owner}) + kPointer;
}

size_t PythonLayout::code_bytes() const {
  return std::max({code.filename, code.qualname, code.line_table, code.first_line, object.size}) +
         kPointer;
}

std::string PythonVersionText(uint32_t version) {
  return std::to_string(version >> 24) + "." + std::to_string(version >> 16 & 0xff) + "." +
         std::to_string(version >> 8 & 0xff);
}

Result<PythonLayout> KnownLayout(uint32_t version) {
  if (MinorOf(version) == 0x030b) return Layout311(version);
  if (MinorOf(version) == 0x030c) return Layout312(version);
  if (MinorOf(version) == 0x030d || MinorOf(version) == 0x030e) {
    return Error{"CPython " + PythonVersionText(version) +
                 " without debug offsets: what it holds is not known"};
  }
  return Unknown(version);
}

bool HaveDebugOffsets(std::span<const uint64_t> words) {
  return !words.empty() && std::memcmp(words.data(), kCookie, sizeof(uint64_t)) == 0;
}

Result<PythonLayout> LayoutFromDebugOffsets(std::span<const uint64_t> words) {
  if (words.size() < kDebugOffsetWords || !HaveDebugOffsets(words)) {
    return Error{"CPython without debug offsets: what it holds is not known"};
  }
  const auto version = static_cast<uint32_t>(words[1]);
  if (words[2] != 0) {
    return Error{"free-threaded CPython " + PythonVersionText(version) +
                 ": its stacks are not read"};
  }
  const uint32_t minor = MinorOf(version);
  if (minor != 0x030d && minor != 0x030e) return Unknown(version);
  bool sane = true;
  PythonLayout layout =
      FromGroups(version, minor == 0x030d ? kGroups313 : kGroups314, Words(words, sane));
  if (minor == 0x030e) layout.frame.tag_mask = kTagBits314;
  if (!sane || !IsPlausible(layout)) {
    return Error{"CPython " + PythonVersionText(version) + " describes itself in an unknown way"};
  }
  return layout;
}

}  // namespace steptrace::agent
