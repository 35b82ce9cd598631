// SPDX-License-Identifier: Apache-2.0
// Views of one track of 10^6 and 10^7 slices, with STEPTRACE_BENCH_LARGE=1 also of 10^8 (1 GB on
// the disk): of the whole, a tenth, a hundredth, … as wide as a screen. Each answer is checked: the
// counts of its rows are the slices of the time range. Counters: p50, p99 and most of a view's time
// in µs, bytes a slice on the disk, ns a slice to make the index, MiB resident afterwards (the
// index's own pages among them).
#include <benchmark/benchmark.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "base/time.h"
#include "base/unnamed_file.h"
#include "timeline/index.h"
#include "timeline/index_builder.h"
#include "timeline/view.h"

namespace steptrace::timeline {
namespace {

constexpr int64_t kScreenPixels = 1920;
constexpr uint32_t kLabels = 1000;
constexpr int64_t kPartSlices = 1 << 16;  // as a run's parts tell that what precedes them is whole

uint64_t Next(uint64_t& state) {  // splitmix64
  uint64_t x = state += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

struct Made {
  std::unique_ptr<Index> index;
  double build_ns_per_slice = 0;
  double bytes_per_slice = 0;
};

void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "timeline_bench: %s\n", status.error().text().c_str());
  std::exit(1);
}

// Kernels of 1 to 64 µs, one in 1,000 sixty times as long, with gaps up to their own length.
const Made& MakeOnce(int64_t slices) {
  static std::map<int64_t, Made> made;
  Made& one = made[slices];
  if (one.index) return one;
  auto fd = UnnamedFile(std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp");
  if (!fd.ok()) Require(fd.error());
  IndexBuilder builder({});
  for (uint32_t label = 0; label < kLabels; ++label) {
    builder.Label("kernel " + std::to_string(label), "kernel");
  }
  uint64_t state = 1;
  const int64_t begin_ns = ClockNowNs(CLOCK_PROCESS_CPUTIME_ID);
  builder.Begin(fd->get(), "bench", 1);
  int64_t at_ns = 0;
  for (int64_t i = 0; i < slices; ++i) {
    const uint64_t random = Next(state);
    const int64_t dur_ns =
        (1000 + static_cast<int64_t>(random % 63'000)) * (random % 1000 == 0 ? 60 : 1);
    Require(builder.AddSlice(1, at_ns, dur_ns, static_cast<uint32_t>(random >> 32) % kLabels));
    at_ns += dur_ns + static_cast<int64_t>(Next(state) % static_cast<uint64_t>(dur_ns));
    if (i % kPartSlices == 0) Require(builder.Settle(at_ns));
  }
  Require(builder.Finish());
  one.build_ns_per_slice = static_cast<double>(ClockNowNs(CLOCK_PROCESS_CPUTIME_ID) - begin_ns) /
                           static_cast<double>(slices);
  struct stat facts {};
  ::fstat(fd->get(), &facts);
  one.bytes_per_slice = static_cast<double>(facts.st_size) / static_cast<double>(slices);
  auto index = Index::FromFd(std::move(*fd), "bench", 1);
  if (!index.ok()) Require(index.error());
  one.index = std::make_unique<Index>(std::move(*index));
  return one;
}

double ResidentMiB() {
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// Rows that begin in the time range stand for each slice that does; one more may reach into it.
bool IsRight(const Lane& lane, int64_t from_ns, int64_t to_ns, const std::vector<ViewRow>& rows) {
  int64_t counted = 0;
  for (const ViewRow& row : rows) counted += row.ts_ns >= from_ns ? row.count : 0;
  const uint64_t begin = lane.LowerBound(from_ns);
  return counted == static_cast<int64_t>(lane.LowerBound(to_ns) - begin);
}

// slices, and by which power of ten the time range is smaller than the whole.
void BM_View(benchmark::State& state) {
  const Made& made = MakeOnce(state.range(0));
  const Lane lane = made.index->LaneAt(0, 0);
  const FileTrack& track = made.index->tracks()[0];
  int64_t span_ns = track.last_ns - track.first_ns;
  for (int64_t i = 0; i < state.range(1); ++i) span_ns /= 10;
  uint64_t random = 7;
  std::vector<double> micros, cpu_micros;  // by the clock, and of all threads
  std::vector<ViewRow> rows;
  made.index->DropPages();
  for (auto _ : state) {
    const int64_t room_ns = std::max<int64_t>(1, track.last_ns - track.first_ns - span_ns);
    const int64_t from_ns =
        track.first_ns + static_cast<int64_t>(Next(random) % static_cast<uint64_t>(room_ns));
    rows.clear();
    const int64_t cpu_begin_ns = ClockNowNs(CLOCK_PROCESS_CPUTIME_ID);
    const int64_t begin_ns = ClockNowNs(CLOCK_MONOTONIC);
    ViewLane(lane, PixelGrid(from_ns, from_ns + span_ns, kScreenPixels), rows);
    micros.push_back(static_cast<double>(ClockNowNs(CLOCK_MONOTONIC) - begin_ns) / 1e3);
    cpu_micros.push_back(static_cast<double>(ClockNowNs(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin_ns) /
                         1e3);
    state.PauseTiming();
    if (!IsRight(lane, from_ns, from_ns + span_ns, rows)) state.SkipWithError("wrong counts");
    state.ResumeTiming();
  }
  std::sort(micros.begin(), micros.end());
  std::sort(cpu_micros.begin(), cpu_micros.end());
  state.counters["p50_us"] = micros[micros.size() / 2];
  state.counters["cpu_p50_us"] = cpu_micros[cpu_micros.size() / 2];
  state.counters["p99_us"] = micros[micros.size() * 99 / 100];
  state.counters["most_us"] = micros.back();
  state.counters["rows"] = static_cast<double>(rows.size());
  state.counters["disk_B"] = made.bytes_per_slice;
  state.counters["build_ns"] = made.build_ns_per_slice;
  state.counters["rss_MiB"] = ResidentMiB();
}

void Sizes(benchmark::internal::Benchmark* bench) {
  const bool large = std::getenv("STEPTRACE_BENCH_LARGE") != nullptr;
  for (const int64_t slices : {1'000'000, 10'000'000, 100'000'000}) {
    if (slices > 10'000'000 && !large) continue;
    for (int64_t zoom = 0; zoom <= 4; ++zoom) bench->Args({slices, zoom});
  }
}

BENCHMARK(BM_View)->Apply(Sizes)->Iterations(300)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace steptrace::timeline

BENCHMARK_MAIN();
