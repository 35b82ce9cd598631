// SPDX-License-Identifier: Apache-2.0
// What the store costs: rows appended a second, bytes stored a row, seconds to read 10^6 steps.
// Each benchmark checks that what it wrote is there.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "store/run_reader.h"
#include "store/run_writer.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

class TempRun {
 public:
  TempRun() {
    std::string pattern = fs::temp_directory_path() / "steptrace_bench_XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
  }
  ~TempRun() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  fs::path path() const { return folder_ / "run"; }

 private:
  fs::path folder_;
};

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "store_bench: %s\n", what);
  std::exit(1);
}

// What clocks add to a duration: without it files come out smaller than any real one.
int64_t Noise(int64_t seed, int64_t below) {
  auto x = static_cast<uint64_t>(seed) * 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  return static_cast<int64_t>((x ^ (x >> 31)) % static_cast<uint64_t>(below));
}

SliceRow MakeSlice(StringTable& strings, int64_t number) {
  static constexpr const char* kNames[] = {"data", "forward", "backward", "optimizer"};
  SliceRow row;
  row.ts_ns = number * 2'500'000 + Noise(number, 5'000);
  row.dur_ns = 2'400'000 + Noise(number + 1, 90'000);
  row.track = 1;
  row.rank = 0;
  row.name = strings.Intern(kNames[number % 4]);
  row.category = strings.Intern("phase");
  row.step = number / 4;
  return row;
}

StepRow MakeStep(StringTable& strings, int64_t step) {
  constexpr int64_t kStepNs = 10'000'000;
  StepRow row;
  row.step = step;
  row.ts_ns = step * kStepNs;
  row.dur_ns = kStepNs - Noise(step, 500'000);
  row.kind = strings.Intern("train");
  row.data_ns = row.dur_ns / 2 + Noise(step + 1, 200'000);
  row.forward_ns = row.dur_ns / 10 + Noise(step + 2, 50'000);
  row.backward_ns = row.dur_ns / 5 + Noise(step + 3, 50'000);
  row.optimizer_ns = row.dur_ns - row.data_ns - row.forward_ns - row.backward_ns;
  row.data_pipeline_ns = row.data_ns;
  row.model_ns = row.dur_ns - row.data_ns;
  row.getitem_ns = row.data_ns;
  row.batches = row.backwards = row.optimizer_steps = row.waits = 1;
  return row;
}

RunWriter Create(const fs::path& run) {
  auto writer = RunWriter::Create(run, Manifest());
  Require(writer.ok(), "no run could be made");
  return *std::move(writer);
}

void Close(RunWriter& writer) {
  Manifest manifest;
  manifest.status = kStatusCompleted;
  Require(writer.Close(manifest).ok(), "the run could not be closed");
}

int64_t PeakRssBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

int64_t StoredBytes(RunReader& reader, const char* table) {
  int64_t bytes = 0;
  for (const SegmentInfo& part : reader.manifest().tables.at(table).segments) bytes += part.bytes;
  return bytes;
}

// Append and Flush as the agent does them, then Close.
void BM_Slices(benchmark::State& state) {
  const int64_t rows = state.range(0);
  for (auto _ : state) {
    TempRun run;
    RunWriter writer = Create(run.path());
    constexpr int64_t kRowsAFlush = 50'000;
    for (int64_t i = 0; i < rows; ++i) {
      writer.Append(MakeSlice(writer.strings(), i));
      if (i % kRowsAFlush == 0) Require(writer.Flush().ok(), "flush failed");
    }
    Require(writer.Flush().ok(), "flush failed");
    state.PauseTiming();
    Close(writer);
    auto reader = RunReader::Open(run.path());
    Require(reader.ok() && *reader->CountRows("slices") == rows, "slices are missing");
    state.counters["stored_bytes_per_slice"] =
        static_cast<double>(StoredBytes(*reader, "slices")) / static_cast<double>(rows);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * rows);
}
BENCHMARK(BM_Slices)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

void BM_CloseSlices(benchmark::State& state) {
  const int64_t rows = state.range(0);
  for (auto _ : state) {
    state.PauseTiming();
    TempRun run;
    RunWriter writer = Create(run.path());
    for (int64_t i = 0; i < rows; ++i) writer.Append(MakeSlice(writer.strings(), i));
    state.ResumeTiming();
    Close(writer);
    state.PauseTiming();
    Require(*RunReader::Open(run.path())->CountRows("slices") == rows, "slices are missing");
    state.counters["peak_rss_mib"] = static_cast<double>(PeakRssBytes()) / (1 << 20);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * rows);
}
BENCHMARK(BM_CloseSlices)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->UseRealTime();

void BM_ReadSteps(benchmark::State& state) {
  const int64_t rows = state.range(0);
  TempRun run;
  {
    RunWriter writer = Create(run.path());
    for (int64_t i = 0; i < rows; ++i) writer.Append(MakeStep(writer.strings(), i));
    Close(writer);
  }
  for (auto _ : state) {
    auto reader = RunReader::Open(run.path());
    auto steps = reader->Read<StepRow>();
    Require(steps.ok() && static_cast<int64_t>(steps->size()) == rows, "steps are missing");
    Require(steps->back().step == rows - 1, "steps are out of order");
    state.counters["stored_bytes_per_step"] =
        static_cast<double>(StoredBytes(*reader, "steps")) / static_cast<double>(rows);
    state.counters["peak_rss_mib"] = static_cast<double>(PeakRssBytes()) / (1 << 20);
  }
  state.SetItemsProcessed(state.iterations() * rows);
}
BENCHMARK(BM_ReadSteps)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3)
    ->UseRealTime();

}  // namespace
}  // namespace steptrace::store

BENCHMARK_MAIN();
