// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <string>

#include "base/saturating.h"
#include "import/formats/nsight/file_rows.h"

namespace steptrace::import::nsight {
namespace {

std::optional<int64_t> NotZero(std::optional<int64_t> number) {
  return number && *number != 0 ? number : std::nullopt;
}

// Work of a whole context has no stream.
std::optional<int64_t> StreamOf(std::optional<int64_t> stream) {
  constexpr int64_t kNoStream = 0xFFFFFFFF;
  return stream && *stream != kNoStream ? stream : std::nullopt;
}

// Devices are few: a number that is none is damage, not a device.
std::optional<int64_t> DeviceOf(std::optional<int64_t> device) {
  constexpr int64_t kMost = 1 << 16;
  return device && *device >= 0 && *device < kMost ? device : std::nullopt;
}

// As PyTorch's profiler names them, so that analysis knows one form.
std::string_view MemoryName(int64_t kind) {
  constexpr std::array<std::string_view, 7> kNames = {
      "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"};
  const auto at = static_cast<size_t>(kind);
  return kind >= 0 && at < kNames.size() ? kNames[at] : "Unknown";
}

std::string_view CopyKindName(int64_t kind) {
  constexpr std::array<std::string_view, 14> kNames = {"?",    "HtoD", "DtoH", "HtoA", "AtoH",
                                                       "AtoA", "AtoD", "DtoA", "DtoD", "HtoH",
                                                       "PtoP", "HtoD", "DtoH", "DtoD"};
  const auto at = static_cast<size_t>(kind);
  return kind >= 0 && at < kNames.size() ? kNames[at] : "?";
}

std::string_view SyncName(int64_t type) {
  constexpr std::array<std::string_view, 5> kNames = {"Sync", "Event Sync", "Stream Wait Event",
                                                      "Stream Sync", "Context Sync"};
  const auto at = static_cast<size_t>(type);
  return type >= 0 && at < kNames.size() ? kNames[at] : kNames[0];
}

class DeviceRows {
 public:
  explicit DeviceRows(FileRows& rows) : rows_(rows) {}

  Status Read() {
    STEPTRACE_RETURN_IF_ERROR(Kernels());
    STEPTRACE_RETURN_IF_ERROR(Graphs());
    STEPTRACE_RETURN_IF_ERROR(Copies());
    STEPTRACE_RETURN_IF_ERROR(Fills());
    return Waits();
  }

 private:
  // Columns that all tables of devices begin with.
  enum Common { kStart, kEnd, kDevice, kStreamId, kCorrelation, kPid, kCommon };

  // Begins a slice of a row; none: it is lost.
  struct Begun {
    RowPlace place;
    Slice slice;
  };
  std::optional<Begun> Begin(const Cursor& row) {
    const auto times = TimesOf(row, rows_, kStart, kEnd);
    const auto pid = row.Integer(kPid);
    const auto device = DeviceOf(row.Integer(kDevice));
    if (!times) return std::nullopt;
    if (!pid || !device) {
      ++rows_.lost[LossCause::kMissingMetadata];
      return std::nullopt;
    }
    Begun begun;
    begun.place = rows_.places.Stream(*pid, *device, StreamOf(row.Integer(kStreamId)));
    begun.slice.ts_ns = times->begin_ns;
    begun.slice.dur_ns = times->dur_ns;
    if (const auto id = NotZero(row.Integer(kCorrelation))) begun.slice.correlation = *id;
    return begun;
  }

  Status Kernels() {
    enum {
      kDemangled = kCommon,
      kShort,
      kGridX,
      kGridY,
      kGridZ,
      kBlockX,
      kBlockY,
      kBlockZ,
      kRegisters,
      kStatic,
      kDynamic,
      kNode,
      kColumnCount
    };
    constexpr std::array kColumns = {"start",
                                     "end",
                                     "deviceId",
                                     "streamId",
                                     "correlationId",
                                     "globalPid",
                                     "demangledName",
                                     "shortName",
                                     "gridX",
                                     "gridY",
                                     "gridZ",
                                     "blockX",
                                     "blockY",
                                     "blockZ",
                                     "registersPerThread",
                                     "staticSharedMemory",
                                     "dynamicSharedMemory",
                                     "graphNodeId"};
    static_assert(kColumns.size() == kColumnCount);
    return ForEachRow(
        "CUPTI_ACTIVITY_KIND_KERNEL", kColumns, kDemangled, rows_,
        [&](const Cursor& row) -> Status {
          auto begun = Begin(row);
          if (!begun) return {};
          PartSink& part = *begun->place.part;
          auto name = row.Integer(kDemangled);
          if (!name) name = row.Integer(kShort);
          begun->slice.name = part.Intern(name ? rows_.texts.Of(*name) : kNoName);
          begun->slice.category = part.Intern("kernel");
          if (NotZero(row.Integer(kNode))) has_nodes_ = true;
          const auto at = [&](int column) { return row.Integer(column).value_or(0); };
          if (row.Integer(kGridX)) {
            details_.clear();
            fmt::format_to(std::back_inserter(details_),
                           R"({{"grid":[{},{},{}],"block":[{},{},{}],"registers per thread":{},)"
                           R"("shared memory":{}}})",
                           at(kGridX), at(kGridY), at(kGridZ), at(kBlockX), at(kBlockY),
                           at(kBlockZ), at(kRegisters), SaturatingAdd(at(kStatic), at(kDynamic)));
            begun->slice.details = part.Intern(details_);
          }
          return Put(begun->place, begun->slice, rows_);
        });
  }

  // A graph that is recorded as a whole: what runs in it is unknown, that the device works is not.
  Status Graphs() {
    enum { kGraph = kCommon };
    constexpr std::array kColumns = {"start",         "end",       "deviceId", "streamId",
                                     "correlationId", "globalPid", "graphId"};
    return ForEachRow(
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kColumns, kGraph, rows_,
        [&](const Cursor& row) -> Status {
          auto begun = Begin(row);
          if (!begun) return {};
          PartSink& part = *begun->place.part;
          begun->slice.name =
              part.Intern(fmt::format("CUDA graph {}", row.Integer(kGraph).value_or(0)));
          // Of graphs whose nodes are recorded one by one the whole is no more work.
          begun->slice.category = part.Intern(has_nodes_ ? "gpu_user_annotation" : "kernel");
          return Put(begun->place, begun->slice, rows_);
        });
  }

  Status Copies() {
    enum { kBytes = kCommon, kKind, kSource, kTarget };
    constexpr std::array kColumns = {"start",     "end",   "deviceId", "streamId", "correlationId",
                                     "globalPid", "bytes", "copyKind", "srcKind",  "dstKind"};
    return ForEachRow(
        "CUPTI_ACTIVITY_KIND_MEMCPY", kColumns, kBytes, rows_, [&](const Cursor& row) -> Status {
          auto begun = Begin(row);
          if (!begun) return {};
          PartSink& part = *begun->place.part;
          begun->slice.name = part.Intern(
              fmt::format("Memcpy {} ({} -> {})", CopyKindName(row.Integer(kKind).value_or(0)),
                          MemoryName(row.Integer(kSource).value_or(-1)),
                          MemoryName(row.Integer(kTarget).value_or(-1))));
          begun->slice.category = part.Intern("gpu_memcpy");
          if (const auto bytes = row.Integer(kBytes); bytes && *bytes >= 0)
            begun->slice.bytes = *bytes;
          return Put(begun->place, begun->slice, rows_);
        });
  }

  Status Fills() {
    enum { kBytes = kCommon, kKind };
    constexpr std::array kColumns = {"start",         "end",       "deviceId", "streamId",
                                     "correlationId", "globalPid", "bytes",    "memKind"};
    return ForEachRow(
        "CUPTI_ACTIVITY_KIND_MEMSET", kColumns, kBytes, rows_, [&](const Cursor& row) -> Status {
          auto begun = Begin(row);
          if (!begun) return {};
          PartSink& part = *begun->place.part;
          begun->slice.name =
              part.Intern(fmt::format("Memset ({})", MemoryName(row.Integer(kKind).value_or(-1))));
          begun->slice.category = part.Intern("gpu_memset");
          if (const auto bytes = row.Integer(kBytes); bytes && *bytes >= 0)
            begun->slice.bytes = *bytes;
          return Put(begun->place, begun->slice, rows_);
        });
  }

  Status Waits() {
    enum { kType = kCommon };
    constexpr std::array kColumns = {"start",         "end",       "deviceId", "streamId",
                                     "correlationId", "globalPid", "syncType"};
    return ForEachRow("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kColumns, kType, rows_,
                      [&](const Cursor& row) -> Status {
                        auto begun = Begin(row);
                        if (!begun) return {};
                        begun->slice.name =
                            begun->place.part->Intern(SyncName(row.Integer(kType).value_or(0)));
                        begun->slice.category = begun->place.part->Intern("cuda_sync");
                        return Put(begun->place, begun->slice, rows_);
                      });
  }

  static constexpr const char* kNoName = "kernel without a name";

  FileRows& rows_;
  std::string details_;
  bool has_nodes_ = false;  // kernels that were nodes of graphs
};

}  // namespace

Status ReadDeviceRows(FileRows& rows) {
  return DeviceRows(rows).Read();
}

}  // namespace steptrace::import::nsight
