// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>

// Traces for tests as text: a line is a packet, `name:value` a field, the value a number, a "text",
// a {message}, d1.5 a double or x7 eight bytes; in a text ' stands for ". Names are those of
// google/perfetto's protos, made short; one that is a number is the number of a field.
namespace steptrace::import::perfetto {

class TraceText {
 public:
  static std::string Packet(std::string_view text) { return TraceText(text).Message(); }
  static std::string Trace(std::string_view text) {
    std::string trace;
    protozero::pbf_writer writer(trace);
    while (!text.empty()) {
      size_t end = std::min(text.find('\n'), text.size());
      std::string packet = Packet(text.substr(0, end));
      if (!packet.empty()) writer.add_bytes(1, packet);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return trace;
  }

 private:
  explicit TraceText(std::string_view text) : text_(text) {}

  static uint32_t NumberOf(const std::string& name) {
    static const std::map<std::string, uint32_t> numbers = {
        // TracePacket
        {"snapshot", 6},
        {"ts", 8},
        {"seq", 10},
        {"event", 11},
        {"interned", 12},
        {"flags", 13},
        {"dropped", 42},
        {"deflated", 50},
        {"stage", 53},
        {"clock", 58},
        {"defaults", 59},
        {"track", 60},
        // TrackDescriptor, ProcessDescriptor, ThreadDescriptor
        {"uuid", 1},
        {"label", 2},
        {"process", 3},
        {"thread", 4},
        {"parent", 5},
        {"counter", 8},
        {"description", 14},
        {"merge", 15},
        {"pid", 1},
        {"tid", 2},
        {"thread_name", 5},
        {"process_name", 6},
        {"multiplier", 4},
        {"incremental", 5},
        // TrackEvent
        {"cat_iid", 3},
        {"note", 4},
        {"legacy", 6},
        {"type", 9},
        {"name_iid", 10},
        {"on", 11},
        {"cat", 22},
        {"name", 23},
        {"value", 30},
        {"extra_on", 31},
        {"extra", 12},
        {"double_value", 44},
        {"flow", 47},
        {"last_flow", 48},
        {"phase", 2},
        {"duration_us", 3},
        // DebugAnnotation
        {"key_iid", 1},
        {"bool", 2},
        {"uint", 3},
        {"int", 4},
        {"double", 5},
        {"text", 6},
        {"nested", 8},
        {"json", 9},
        {"key", 10},
        {"entry", 11},
        {"item", 12},
        {"text_iid", 17},
        // InternedData
        {"cats", 1},
        {"names", 2},
        {"keys", 3},
        {"specs", 24},
        {"texts", 29},
        {"iid", 1},
        {"is", 2},
        // ClockSnapshot
        {"reading", 1},
        {"primary", 2},
        {"id", 1},
        {"at", 2},
        {"differences", 3},
        {"unit", 4},
        // GpuRenderStageEvent
        {"dur", 2},
        {"more", 6},
        {"gpu", 11},
        {"queue", 13},
        {"kind", 14},
        {"called", 17},
        {"launch", 21},
        {"grid", 1},
        {"block", 2},
        {"x", 1},
        {"y", 2},
        {"z", 3}};
    auto found = numbers.find(name);
    return found != numbers.end() ? found->second
                                  : static_cast<uint32_t>(std::strtoul(name.c_str(), nullptr, 10));
  }

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::string Word() {
    size_t from = at_;
    while (std::isalnum(static_cast<unsigned char>(Peek())) || Peek() == '_' || Peek() == '-' ||
           Peek() == '.') {
      ++at_;
    }
    return std::string(text_.substr(from, at_ - from));
  }

  std::string Message() {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    while (true) {
      while (Peek() == ' ') ++at_;
      if (Peek() == '}' || Peek() == '\0') {
        ++at_;
        return bytes;
      }
      const uint32_t number = NumberOf(Word());
      ++at_;  // the colon
      if (Peek() == '{') {
        ++at_;
        writer.add_message(number, Message());
      } else if (Peek() == '"') {
        size_t end = text_.find('"', at_ + 1);
        std::string value(text_.substr(at_ + 1, end - at_ - 1));
        std::replace(value.begin(), value.end(), '\'', '"');
        writer.add_string(number, value);
        at_ = end + 1;
      } else {
        const std::string value = Word();
        if (value[0] == 'd') {
          writer.add_double(number, std::strtod(value.c_str() + 1, nullptr));
        } else if (value[0] == 'x') {
          writer.add_fixed64(number, std::strtoull(value.c_str() + 1, nullptr, 10));
        } else if (value[0] == '-') {
          writer.add_int64(number, std::strtoll(value.c_str(), nullptr, 10));
        } else {
          writer.add_uint64(number, std::strtoull(value.c_str(), nullptr, 10));
        }
      }
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace steptrace::import::perfetto
