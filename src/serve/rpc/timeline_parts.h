// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "serve/rpc/run_timeline.h"
#include "timeline/view.h"

// What the timeline's answers share; private to rpc.
namespace steptrace::rpc {

timeline::ViewRange TimeRangeOf(const RunTimeline& timeline, const TimelineRange& range);
// The tracks' places in the index, each once.
std::vector<uint32_t> PlacesOf(const RunTimeline& timeline, const TimelineRange& range);
// {slice, track, lane, ts_ns, dur_ns, name}
nlohmann::ordered_json BriefJson(const RunTimeline& timeline, timeline::SliceId id);

// The labels that a column uses, each once, numbered as they come.
class LabelColumn {
 public:
  explicit LabelColumn(const timeline::Index& index) : index_(index) {}
  int32_t Of(uint32_t label);
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& categories() const { return categories_; }

 private:
  const timeline::Index& index_;
  std::vector<int32_t> numbers_;
  std::vector<std::string> names_;
  std::vector<std::string> categories_;
};

}  // namespace steptrace::rpc
