// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/loss_causes.h"

// One file of events as Debugger, Horovod and the TensorFlow profiler write them: Chrome's events
// with a base time in the metadata and names of lines in process_name. In Debugger's files the
// trace "pid" is no process but a line of the display: the process stands in args.
namespace steptrace::import::sagemaker {

using store::LossCause;

struct TraceFileEvent {
  int64_t ts_ns = 0;  // since 1970 where a base is known, else by the file's own clock
  int64_t dur_ns = 0;
  bool instant = false;
  std::string name;
  std::string line;                 // name of the event's line, "" where the file gives none
  std::string thread_name;          // of TensorFlow's timelines
  int64_t line_id = 0;              // the trace "pid"
  std::optional<int64_t> line_tid;  // the trace "tid"
  std::optional<int64_t> pid;       // of args
  std::optional<int64_t> tid;
  std::optional<int64_t> step;
  std::optional<int64_t> bytes;
  std::string args;  // the rest of them, a JSON object; empty: nothing
};

class TraceFile {
 public:
  using OnEvent = std::function<void(const TraceFileEvent&)>;

  explicit TraceFile(OnEvent on_event) : on_event_(std::move(on_event)) {}

  // What of the time stands outside the file, as TensorFlow's does.
  void SetBase(int64_t base_ns) { base_ns_ = base_ns; }

  // The next object of the array of events.
  void Add(std::string_view object);
  // No more: ranges that are open are lost.
  void Finish();

  int64_t events() const { return events_; }
  const std::map<LossCause, int64_t>& losses() const { return losses_; }

 private:
  struct Raw {
    std::string_view name, phase, pid, tid, ts, dur, args;
  };
  struct Open {
    int64_t ts_ns;
    std::string name;
    std::string args;  // as written
  };
  using LineKey = std::pair<int64_t, int64_t>;

  void Metadata(const Raw& raw);
  void Begin(const Raw& raw, int64_t ts_ns);
  void End(const Raw& raw, int64_t ts_ns);
  void Complete(const Raw& raw, int64_t ts_ns);
  void Emit(LineKey key, bool has_tid, TraceFileEvent event, std::string_view args);
  void ReadArgs(std::string_view args, TraceFileEvent& event);
  void Lose(LossCause cause) { ++losses_[cause]; }
  std::optional<int64_t> TimeOf(std::string_view ts);
  static LineKey KeyOf(const Raw& raw);
  static std::string_view* SlotOf(std::string_view key, Raw& raw);

  OnEvent on_event_;
  std::optional<int64_t> base_ns_;
  std::map<int64_t, std::string> lines_;
  std::map<LineKey, std::string> threads_;
  std::map<LineKey, std::vector<Open>> open_;
  int64_t open_count_ = 0;
  int64_t events_ = 0;
  std::map<LossCause, int64_t> losses_;
};

// What an event is, from its name and line, as far as steps and analyses ask.
enum class EventRole {
  kStep,          // a step that the framework marked
  kDataWait,      // the training thread waits for a batch
  kDataWork,      // the data pipeline at work
  kLoaderWorker,  // the same in a worker process
  kForward,
  kBackward,
  kCommunication,
  kHostOperator,
  kDeviceOperator,  // runs on the device `device`
  kDeviceCopy,
  kDeviceSet,
  kDeviceLabel,  // a line of a device that only names what its streams do
  kOther,
};

struct EventPlace {
  EventRole role = EventRole::kOther;
  int32_t device = -1;
};
EventPlace PlaceOfEvent(const TraceFileEvent& event, bool tensorflow_timeline);
const char* CategoryOf(EventRole role);

}  // namespace steptrace::import::sagemaker
