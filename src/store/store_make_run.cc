// SPDX-License-Identifier: Apache-2.0
// Makes runs for tests in other languages and for measurements; not part of what ships.
//   store_make_run RUN [steps=100] [ranks=1] [slices=4] [end=close|die|exit] [chunk=BYTES] [rss=1]
// Every step has its row, `slices` slices and two counters; `end=die` kills the writer without a
// word after its last flush. Prints what it wrote, as JSON.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "base/time.h"
#include "store/run_writer.h"

namespace steptrace::store {
namespace {

using Settings = std::map<std::string, std::string>;

int64_t Number(const Settings& settings, const char* key, int64_t otherwise) {
  auto found = settings.find(key);
  return found == settings.end() ? otherwise : std::strtoll(found->second.c_str(), nullptr, 10);
}

void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "store_make_run: %s\n", status.error().text().c_str());
  std::exit(2);
}

int64_t PeakRssBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

constexpr int64_t kStepNs = 10 * kNsPerMs;

// What clocks and loads add to a duration: without it, files come out smaller than any real one.
int64_t Noise(int64_t seed, int64_t below) {
  auto x = static_cast<uint64_t>(seed) * 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return static_cast<int64_t>((x ^ (x >> 31)) % static_cast<uint64_t>(below));
}

StepRow MakeStep(StringTable& strings, int64_t step, int32_t rank) {
  StepRow row;
  row.rank = rank;
  row.step = step;
  row.ts_ns = step * kStepNs + rank * 1000;
  row.dur_ns = kStepNs - Noise(step * 16 + rank, 1'000'000);
  row.kind = strings.Intern(step < 3 ? "warm-up" : "train");
  row.data_ns = row.dur_ns * 6 / 10 + Noise(step * 16 + 1, 200'000);
  row.forward_ns = row.dur_ns / 10 + Noise(step * 16 + 2, 50'000);
  row.backward_ns = row.dur_ns / 5 - Noise(step * 16 + 3, 100'000);
  row.optimizer_ns = row.dur_ns - row.data_ns - row.forward_ns - row.backward_ns;
  row.data_pipeline_ns = row.data_ns;
  row.model_ns = row.dur_ns - row.data_ns;
  row.getitem_ns = row.data_ns;
  row.batches = row.backwards = row.optimizer_steps = row.waits = 1;
  row.starved_waits = step % 3 == 0 ? 1 : 0;
  row.min_queue_depth = row.starved_waits == 1 ? 0 : 1;
  return row;
}

SliceRow MakeSlice(StringTable& strings, int64_t step, int32_t rank, int64_t number,
                   int64_t count) {
  static constexpr const char* kNames[] = {"data", "forward", "backward", "optimizer"};
  SliceRow row;
  row.dur_ns = kStepNs / count - Noise(step * 64 + number, 100'000) - 1000;
  row.ts_ns = step * kStepNs + number * (kStepNs / count) + Noise(step * 64 + number + 32, 1000);
  row.track = 1 + rank;
  row.rank = rank;
  row.name = strings.Intern(kNames[number % 4]);
  row.category = strings.Intern("phase");
  row.step = step;
  return row;
}

void AppendTracks(RunWriter& writer, int32_t ranks) {
  TrackRow node;
  node.kind = writer.strings().Intern("node");
  node.name = "host";
  writer.Append(node);
  for (int32_t rank = 0; rank < ranks; ++rank) {
    TrackRow thread;
    thread.track = 1 + rank;
    thread.parent = 0;
    thread.kind = writer.strings().Intern("thread");
    thread.rank = rank;
    thread.pid = 1000 + rank;
    thread.tid = 1000 + rank;
    thread.name = "main \xc3\xa9 \"quoted\", rank " + std::to_string(rank);
    writer.Append(thread);
  }
  TrackRow counter;
  counter.track = 1000;
  counter.parent = 0;
  counter.kind = writer.strings().Intern("counter");
  counter.name = "cpu.busy_share";
  writer.Append(counter);
}

void AppendSteps(RunWriter& writer, const Settings& settings) {
  int64_t steps = Number(settings, "steps", 100);
  auto ranks = static_cast<int32_t>(Number(settings, "ranks", 1));
  int64_t slices = Number(settings, "slices", 4);
  constexpr int64_t kStepsAFlush = 100;  // a second of 10 ms steps
  for (int64_t step = 0; step < steps; ++step) {
    for (int32_t rank = 0; rank < ranks; ++rank) {
      for (int64_t i = 0; i < slices; ++i) {
        writer.Append(MakeSlice(writer.strings(), step, rank, i, slices));
      }
      writer.Append(MakeStep(writer.strings(), step, rank));
    }
    writer.Append(CounterRow{step * kStepNs, 1000, static_cast<double>(step % 100) / 100});
    if (step % kStepsAFlush == kStepsAFlush - 1) Require(writer.Flush());
  }
}

Manifest MakeManifest(const std::filesystem::path& run) {
  Manifest manifest;
  manifest.id = run.filename();
  manifest.name = "made";
  manifest.command = {"store_make_run"};
  manifest.epoch_utc_ns = 1'767'225'600 * kNsPerSecond;
  manifest.steptrace_version = "0.2.0";
  manifest.nodes.emplace_back().host = "host";
  return manifest;
}

int Main(const std::filesystem::path& run, const Settings& settings) {
  WriterOptions options;
  options.chunk_bytes = Number(settings, "chunk", options.chunk_bytes);
  Manifest manifest = MakeManifest(run);
  auto writer = RunWriter::Create(run, manifest, options);
  if (!writer.ok()) Require(writer.error());
  int64_t begin_ns = MonotonicNowNs();
  AppendTracks(*writer, static_cast<int32_t>(Number(settings, "ranks", 1)));
  AppendSteps(*writer, settings);
  Require(writer->Flush());
  int64_t append_ns = MonotonicNowNs() - begin_ns;
  int64_t append_rss_bytes = PeakRssBytes();
  auto end = settings.contains("end") ? settings.at("end") : "close";
  if (end == "die") ::raise(SIGKILL);
  begin_ns = MonotonicNowNs();
  manifest.status = kStatusCompleted;
  manifest.exit_code = 0;
  if (end == "close") Require(writer->Close(manifest));
  std::printf(
      "{\"append_s\": %.3f, \"append_rss_bytes\": %ld, \"close_s\": %.3f, "
      "\"close_rss_bytes\": %ld}\n",
      static_cast<double>(append_ns) / 1e9, append_rss_bytes,
      static_cast<double>(MonotonicNowNs() - begin_ns) / 1e9, PeakRssBytes());
  return 0;
}

}  // namespace
}  // namespace steptrace::store

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: store_make_run RUN [key=value...]\n");
    return 2;
  }
  steptrace::store::Settings settings;
  for (int i = 2; i < argc; ++i) {
    const char* equals = std::strchr(argv[i], '=');
    if (equals != nullptr)
      settings[std::string(static_cast<const char*>(argv[i]), equals)] = equals + 1;
  }
  return steptrace::store::Main(argv[1], settings);
}
