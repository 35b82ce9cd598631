// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/core/rows/losses.h"
#include "import/formats/xplane/plane_ids.h"
#include "import/formats/xplane/space_stream.h"
#include "import/formats/xplane/stats.h"

namespace steptrace::import::xplane {

// What a plane is of, by its name.
enum class PlaneKind : uint8_t {
  kUnknown,
  kHost,      // threads of the process
  kDevice,    // lines of an accelerator
  kPrograms,  // what was compiled, and no line
  kSession    // when it was recorded, and no line
};

// What lies on a line, by its name and its plane.
enum class SpaceLineKind : uint8_t {
  kUnknown,
  kHost,      // a thread
  kStream,    // work of a device's stream
  kOps,       // work of a device without streams
  kDerived,   // what repeats the device's work: modules, steps, operations, scopes
  kCounters,  // figures of a device
};

struct LineFacts {
  int64_t id = 0;
  int64_t timestamp_ns = 0;
  std::string name;
  std::string display_name;
  SpaceLineKind kind = SpaceLineKind::kUnknown;  // once the plane is known as a whole
  int64_t stream = -1;
  const std::string& Name() const { return display_name.empty() ? name : display_name; }
};

struct StatMeta {
  StatKind kind = StatKind::kOther;
  std::string name;  // also the text that a reference stands for
};

struct EventMeta {
  std::string name;
  std::string display_name;
  std::string stats;  // of each event that has none of their names, as they came
};

struct PlaneFacts {
  std::string name;
  PlaneKind kind = PlaneKind::kUnknown;
  std::optional<int32_t> device;
  std::vector<LineFacts> lines;
  std::vector<StatMeta> stat_metas;
  std::vector<EventMeta> event_metas;
  PlaneIds stat_index;
  PlaneIds event_index;
  std::vector<std::string> stats;  // of the plane itself, as they came
  bool damaged = false;

  const StatMeta* StatOf(int64_t id) const;
  // The text of a value; empty: it is a number, or nothing tells.
  std::string_view TextOf(const Stat& stat) const;
};

// The first reading of a file: all but its events. What tells their names may come behind them.
class SpaceLayout : public SpaceVisitor {
 public:
  static constexpr size_t kMostPlanes = 1 << 12;
  static constexpr size_t kMostLines = 1 << 15;     // in all
  static constexpr size_t kMostMetadata = 1 << 20;  // in all

  explicit SpaceLayout(const Limits& limits) : most_text_bytes_(limits.max_text_bytes) {}

  void Begin(SpaceLevel level) override;
  void End(SpaceLevel level) override;
  bool Skips(SpaceLevel level, uint32_t field) const override;
  void Number(SpaceLevel level, uint32_t field, uint64_t value) override;
  Status Take(SpaceLevel level, uint32_t field, std::string_view bytes) override;
  void Damaged() override;

  // In the order of the file. Of lines and planes beyond the limits there are none.
  const std::vector<PlaneFacts>& planes() const { return planes_; }
  const std::string& host() const { return host_; }
  int64_t warnings() const { return warnings_; }
  const std::string& first_warning() const { return first_warning_; }
  const LossCounts& lost() const { return lost_; }
  // What the file tells of itself; none, or empty: it does not.
  std::optional<int64_t> BeginNs() const;  // of the recording, since 1970
  std::optional<int64_t> Pid() const;
  std::string JaxVersion() const;

 private:
  // A number or a text that a plane has itself.
  struct Own {
    std::optional<int64_t> number;
    std::string text;
  };
  Own OwnStat(std::string_view name) const;
  PlaneFacts* Plane();
  LineFacts* Line();
  void TakeInPlane(uint32_t field, std::string_view bytes);
  void AddEventMeta(std::string_view entry);
  void AddStatMeta(std::string_view entry);
  bool HasRoom(size_t text_bytes);
  std::string Kept(std::string_view name);

  const int64_t most_text_bytes_;
  std::vector<PlaneFacts> planes_;
  size_t lines_ = 0;
  size_t metadata_ = 0;
  int64_t text_bytes_ = 0;
  bool in_plane_ = false;  // one of planes_
  bool in_line_ = false;   // one of its lines
  std::string host_;
  int64_t warnings_ = 0;
  std::string first_warning_;
  LossCounts lost_;
};

}  // namespace steptrace::import::xplane
