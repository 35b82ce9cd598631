// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/ingest/recorder.h"
#include "agent/ingest/ring_listener.h"
#include "agent/run/recorded_job.h"
#include "agent/system/metric_sink.h"
#include "agent/watch/observer_list.h"
#include "store/string_table.h"

namespace steptrace::agent {

// Shows observers what a run records. One thread.
class ObserverFeed : public RingListener {
 public:
  // `recorder` and `strings`, those of the rows, must outlive it.
  ObserverFeed(const WatchOptions& options, Recorder& recorder, const store::StringTable& strings)
      : observers_(AllObservers(options, strings)), job_(recorder), strings_(strings) {
    recorder.AddListener(*this);
  }

  void OnStep(const store::StepRow& row) override {
    observers_.OnStep(row, strings_.Text(row.kind));
  }
  void OnEvents(const ProcessSession& session, std::span<const analyze::Event> events) override {
    observers_.OnEvents({session.rank(), session.pid(), session.trains()}, events);
  }
  void OnTensors(const ProcessSession& session, std::span<const ReportedTensor> tensors) override {
    observers_.OnTensors({session.rank(), session.pid(), session.trains()}, tensors);
  }
  void OnDeviceMemory(const ProcessSession& session, const DeviceMemorySample& sample) override {
    observers_.OnSample({.name = strings_.Text(sample.metric),
                         .device = sample.device,
                         .pid = session.pid(),
                         .ts_ns = sample.ts_ns,
                         .value = sample.value});
  }
  void OnSample(const MetricSample& sample, int64_t ts_ns) {
    observers_.OnSample({sample.metric, store::InfoOf(sample.metric).name, sample.device,
                         sample.pid, ts_ns, sample.value});
  }

  std::vector<Alert> Check(Moment moment, int64_t now_ns) {
    return observers_.Check(moment, now_ns, job_);
  }

 private:
  ObserverList observers_;
  RecordedJob job_;
  const store::StringTable& strings_;
};

}  // namespace steptrace::agent
