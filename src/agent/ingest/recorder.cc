// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/recorder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/ingest/tensor_rows.h"
#include "base/time.h"
#include "base/utf8.h"
#include "model/finding_kinds.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {
namespace {

// 128 KiB: amortises the reads, and stays in the second-level cache.
constexpr size_t kBufferRecords = 4096;
// A thread may be off its core between reading the clock and publishing the record.
constexpr int64_t kLatePublishNs = 100 * kNsPerMs;

}  // namespace

Recorder::Recorder(store::RunWriter& writer, RingWatch watch, int32_t node,
                   int64_t epoch_monotonic_ns)
    : writer_(writer),
      tracks_(node, writer.strings()),
      losses_(node, writer.strings()),
      rings_(std::move(watch), losses_),
      ranks_([this](int32_t pid) { return sessions_.ParentOf(pid); }),
      calibration_(ReadClockAnchor()),
      buffer_(kBufferRecords),
      captures_(writer, losses_, node, epoch_monotonic_ns),
      steps_(writer, node),
      user_category_(writer.strings().Intern(CategoryText(wire::Category::kUser))) {
  context_.node = node;
  context_.epoch_monotonic_ns = epoch_monotonic_ns;
  context_.strings = &writer_.strings();
  context_.tracks = &tracks_;
  context_.ranks = &ranks_;
  context_.calibration = &calibration_;
  context_.captures = &captures_;
  context_.buffer = buffer_;
}

Recorder::~Recorder() = default;

void Recorder::Join(std::unique_ptr<ProcessSession> session) {
  captures_.Add(*session);
  sessions_.Add(std::move(session));
}

Recorder::Pass Recorder::DrainAll(int64_t now_ns, bool forced_scan) {
  rings_.Scan(context_, now_ns, forced_scan, [this](auto session) { Join(std::move(session)); });
  pass_began_ns_ = now_ns;
  all_drained_ = true;
  Pass pass;
  pass.load.processes = static_cast<int64_t>(sessions_.size() + rings_.waiting());
  for (const auto& session : sessions_) {
    batch_.Clear();
    const ProcessSession::Pass one = session->Drain(batch_);
    pass.records += one.records;
    pass.load.most_of_a_ring = std::max(pass.load.most_of_a_ring, one.most_of_a_ring);
    pass.load.of_small_rings += one.of_small_rings;
    all_drained_ &= one.drained;
    // The end of a thread brings rows without a record: of the ranges that it left open.
    if (one.records > 0 || !batch_.slices.empty()) Write(*session, batch_, now_ns);
    pass.load.in_window |= session->captures().in_operators();
  }
  records_ += pass.records;
  return pass;
}

void Recorder::EndGoneProcesses(int64_t now_ns) {
  sessions_.EndGone(now_ns, [&](ProcessSession& session) { EndSession(session, now_ns); });
}

void Recorder::EndSession(ProcessSession& session, int64_t now_ns) {
  batch_.Clear();
  ProcessSession::Pass pass;
  do {
    pass = session.Drain(batch_);
    records_ += pass.records;
    Write(session, batch_, now_ns);
    batch_.Clear();
  } while (!pass.drained);
  for (RingListener* listener : listeners_) listener->OnEnd(session);
  sessions_.NoteChange();
  const int64_t end_ns = session.LastSeenNs(now_ns);
  session.End(end_ns, batch_);
  Write(session, batch_, now_ns);
  if (session.trains()) session.captures().End(now_ns);
  captures_.WriteOutcomes(session, now_ns);
  ReportEnd(session, now_ns, end_ns);
  if (session.settled()) steps_.ProcessEnded(session, end_ns, facts_.backward_on_host());
  captures_.Remove(session);
  losses_.EndProcess(session.pid());
  ranks_.Forget(session.pid());
  rings_.Remove(session.file());
}

void Recorder::ReportEnd(const ProcessSession& session, int64_t now_ns, int64_t end_ns) {
  session.ReportLosses(losses_, now_ns);
  if (!session.identity().disarm_reason.empty()) {
    losses_.Once({session.rank(), session.pid()}, LossCause::kDisarmed, -1, now_ns,
                 Make(model::finding::LossDisarmed{
                     .pid = session.pid(), .reason = CleanUtf8(session.identity().disarm_reason)}));
  }
  if (session.EndsUnseen()) {
    losses_.Once({session.rank(), session.pid()}, LossCause::kUnseenProcess, -1, end_ns, "");
  }
  if (session.trains() || session.is_worker()) {
    trained_until_ns_ = std::max(trained_until_ns_, end_ns);
  }
}

void Recorder::Write(ProcessSession& session, RowBatch& batch, int64_t now_ns) {
  if (session.trains()) facts_.NoteRank(session, context_.node);
  if (const auto events = session.SettledEvents(batch); !events.empty()) {
    steps_.Add(session, events, facts_.backward_on_host());
    for (RingListener* listener : listeners_) listener->OnEvents(session, events);
  }
  WriteTracks(now_ns);
  WriteSlices(session, batch, now_ns);
  captures_.OnBatch(session, batch);
  for (const store::CounterRow& row : batch.counters) writer_.Append(row);
  for (const DeviceMemorySample& sample : batch.device_memory) {
    for (RingListener* listener : listeners_) listener->OnDeviceMemory(session, sample);
  }
  if (!batch.stacks.empty()) {
    for (RingListener* listener : listeners_) listener->OnStacks(session, batch.stacks);
  }
  WriteTensors(session, batch.tensors);
  for (const store::RunMetadataRow& row : batch.facts) {
    facts_.Note(writer_.strings().Text(row.kind), row.json);
    writer_.Append(row);
  }
}

void Recorder::WriteTensors(const ProcessSession& session,
                            std::span<const ReportedTensor> tensors) {
  for (const ReportedTensor& reported : tensors) {
    const store::TensorStatRow row =
        TensorRow(reported, context_.node, session.rank(), writer_.strings());
    writer_.Append(row);
    ForEachHistogramRow(reported, row,
                        [this](const store::TensorHistogramRow& bin) { writer_.Append(bin); });
  }
  if (tensors.empty()) return;
  for (RingListener* listener : listeners_) listener->OnTensors(session, tensors);
}

void Recorder::WriteSlices(const ProcessSession& session, const RowBatch& batch, int64_t now_ns) {
  int64_t left_out = 0;
  for (const store::SliceRow& row : batch.slices) {
    if (frugal_ && row.category == user_category_) {
      ++left_out;
    } else {
      writer_.Append(row);
    }
  }
  if (left_out > 0) losses_.Add({session.rank(), session.pid()}, frugal_cause_, left_out, now_ns);
}

void Recorder::WriteTracks(int64_t now_ns) {
  for (const store::TrackRow& row : tracks_.TakeSettledRows(now_ns)) writer_.Append(row);
}

void Recorder::WriteSteps() {
  steps_.Write([this](const store::StepRow& row) {
    captures_.OnStep(row);
    for (RingListener* listener : listeners_) listener->OnStep(row);
  });
}

void Recorder::Settle(int64_t now_ns) {
  calibration_.Add(ReadClockAnchor());
  if (all_drained_) steps_.Advance(pass_began_ns_ - kLatePublishNs);
  WriteSteps();
  captures_.WriteOutcomes(now_ns);
  for (const auto& session : sessions_) session->ReportLosses(losses_, now_ns);
  rings_.ReportLosses(now_ns);
  for (const store::DataLossRow& row : losses_.TakeRows(now_ns, false)) writer_.Append(row);
  WriteTracks(now_ns);
}

void Recorder::WriteNumbering(int64_t end_ns) {
  if (ranks_.numbered() <= 1) return;
  store::RunMetadataRow fact;
  fact.ts_ns = end_ns;
  fact.node = context_.node;
  fact.kind = writer_.strings().Intern(wire::kFactJob);
  fact.json = nlohmann::json{{"numbered_trainings", ranks_.numbered()},
                             {"note",
                              "no RANK was set: the trainings are numbered in the order in "
                              "which they began"}}
                  .dump();
  writer_.Append(fact);
}

void Recorder::Finish(int64_t end_ns) {
  DrainAll(end_ns, true);
  rings_.Finish(context_, end_ns, [this](auto session) { Join(std::move(session)); });
  sessions_.EndAll([&](ProcessSession& session) { EndSession(session, end_ns); });
  steps_.Finish(end_ns);
  WriteSteps();
  WriteNumbering(end_ns);
  for (const store::DataLossRow& row : losses_.TakeRows(end_ns, true)) writer_.Append(row);
  for (const store::TrackRow& row : tracks_.TakeRows()) writer_.Append(row);
}

void Recorder::SetDropUserRanges(bool frugal, LossCause cause) {
  frugal_ = frugal;
  frugal_cause_ = cause;
}

}  // namespace steptrace::agent
