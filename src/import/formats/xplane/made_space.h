// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "import/formats/xplane/proto_fields.h"

// For tests: profiles as code.
namespace steptrace::import::xplane {

// A plane as writers make it: what its ids stand for comes behind its lines.
class MadePlane {
 public:
  explicit MadePlane(const std::string& name) { Writer(lines_).add_string(in_plane::kName, name); }

  std::string Number(const std::string& name, int64_t value) {
    std::string stat = Begun(name);
    Writer(stat).add_int64(in_stat::kInteger, value);
    return stat;
  }
  std::string Text(const std::string& name, const std::string& value) {
    std::string stat = Begun(name);
    Writer(stat).add_string(in_stat::kText, value);
    return stat;
  }
  // A text that stands among the names of stats.
  std::string Ref(const std::string& name, const std::string& value) {
    std::string stat = Begun(name);
    Writer(stat).add_uint64(in_stat::kRef, static_cast<uint64_t>(IdOf(stat_ids_, value)));
    return stat;
  }
  std::string Real(const std::string& name, double value) {
    std::string stat = Begun(name);
    Writer(stat).add_double(in_stat::kDouble, value);
    return stat;
  }

  // What all events of a name have.
  MadePlane& Named(const std::string& name, const std::string& display_name,
                   std::initializer_list<std::string> stats = {}) {
    IdOf(event_ids_, name);
    std::string& more = more_[name];
    Writer writer(more);
    if (!display_name.empty()) writer.add_string(in_event_metadata::kDisplayName, display_name);
    for (const std::string& stat : stats) writer.add_bytes(in_event_metadata::kStat, stat);
    return *this;
  }

  std::string Event(const std::string& name, int64_t offset_ps, int64_t duration_ps,
                    std::initializer_list<std::string> stats = {}) {
    std::string event;
    Writer writer(event);
    writer.add_int64(in_event::kMetadataId, IdOf(event_ids_, name));
    writer.add_int64(in_event::kOffsetPs, offset_ps);
    writer.add_int64(in_event::kDurationPs, duration_ps);
    for (const std::string& stat : stats) writer.add_bytes(in_event::kStat, stat);
    return event;
  }

  MadePlane& Line(int64_t id, const std::string& name, int64_t timestamp_ns,
                  const std::vector<std::string>& events) {
    std::string line;
    Writer writer(line);
    writer.add_int64(in_line::kId, id);
    writer.add_string(in_line::kName, name);
    writer.add_int64(in_line::kTimestampNs, timestamp_ns);
    for (const std::string& event : events) writer.add_bytes(in_line::kEvent, event);
    Writer(lines_).add_bytes(in_plane::kLine, line);
    return *this;
  }
  MadePlane& Has(const std::string& stat) {
    Writer(own_).add_bytes(in_plane::kStat, stat);
    return *this;
  }

  std::string Bytes() const {
    std::string plane = lines_;
    AddNames(plane, in_plane::kEventMetadata, event_ids_, more_);
    AddNames(plane, in_plane::kStatMetadata, stat_ids_, {});
    return plane + own_;
  }

 private:
  using Writer = protozero::pbf_writer;
  using Ids = std::map<std::string, int64_t>;

  static int64_t IdOf(Ids& ids, const std::string& name) {
    return ids.emplace(name, static_cast<int64_t>(ids.size()) + 1).first->second;
  }
  std::string Begun(const std::string& name) {
    std::string stat;
    Writer(stat).add_int64(in_stat::kMetadataId, IdOf(stat_ids_, name));
    return stat;
  }
  static void AddNames(std::string& plane, uint32_t field, const Ids& ids,
                       const std::map<std::string, std::string>& more) {
    for (const auto& [name, id] : ids) {
      std::string value;
      Writer(value).add_int64(in_event_metadata::kId, id);
      Writer(value).add_string(in_event_metadata::kName, name);
      if (const auto found = more.find(name); found != more.end()) value += found->second;
      std::string entry;
      Writer(entry).add_int64(in_entry::kKey, id);
      Writer(entry).add_bytes(in_entry::kValue, value);
      Writer(plane).add_bytes(field, entry);
    }
  }

  std::string lines_;
  std::string own_;
  Ids event_ids_;
  Ids stat_ids_;
  std::map<std::string, std::string> more_;
};

inline std::string Space(std::initializer_list<std::string> planes) {
  std::string space;
  for (const std::string& plane : planes) {
    protozero::pbf_writer(space).add_bytes(in_space::kPlane, plane);
  }
  return space;
}

}  // namespace steptrace::import::xplane
