// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "steptrace/steptrace.h"
#include "transport/reader.h"

// ns of this thread's CPU time for a begin and its end, by each way of saying so, in alternate
// rounds: prints a line "name median low high" each, the empty loop taken off (low, high:
// quartiles). Ours is drained between rounds, untimed, and every record is accounted for.
//
// usage: probe_pairs ROUNDS      with STEPTRACE_PROBE and STEPTRACE_RING_DIR set
extern "C" void LttngPairs(long count);

namespace {

// Two records a pair fill most of the main thread's ring, so that no round meets a full one.
constexpr long kPairs = 30'000;

int64_t ThreadCpuNs() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

inline void Keep(int64_t value) {
  asm volatile("" : : "r"(value) : "memory");
}

void EmptyLoop(long count) {
  for (long i = 0; i < count; ++i) Keep(i);
}

void Steptrace(long count) {
  for (long i = 0; i < count; ++i) {
    ST_BEGIN("pair");
    Keep(i);
    ST_END();
  }
}

void SteptraceTable(long count) {
  const steptrace_probe_v1* probe = steptrace_probe_();
  const uint32_t name = probe->name("pair", 4, 1);
  for (long i = 0; i < count; ++i) {
    probe->begin(name);
    Keep(i);
    probe->end();
  }
}

void ClockGettime(long count) {
  timespec now;
  for (long i = 0; i < count; ++i) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    Keep(now.tv_nsec);
    clock_gettime(CLOCK_MONOTONIC, &now);
    Keep(now.tv_nsec);
  }
}

#if defined(__x86_64__)
void TimeStampCounter(long count) {
  for (long i = 0; i < count; ++i) {
    Keep(static_cast<int64_t>(__rdtsc()));
    Keep(static_cast<int64_t>(__rdtsc()));
  }
}
#endif

struct Contender {
  const char* name;
  void (*run)(long count);
  bool ours;
  std::vector<double> ns_a_pair{};
};

double NsAPair(void (*run)(long)) {
  const int64_t start = ThreadCpuNs();
  run(kPairs);
  return static_cast<double>(ThreadCpuNs() - start) / kPairs;
}

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "probe_pairs: %s\n", message.c_str());
  std::exit(1);
}

// The process's own ring file, drained between rounds.
class Drain {
 public:
  static Drain OfThisProcess() {
    const char* folder = getenv("STEPTRACE_RING_DIR");
    const int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // Its start time is not known here, but it is the newest of this pid.
    const std::string find = "ls -t '" + std::string(folder) + "' | grep '^" +
                             std::to_string(getpid()) + "[.]' | head -n 1";
    FILE* pipe = popen(find.c_str(), "r");
    char name[256] = {};
    if (pipe == nullptr || std::fgets(name, sizeof name, pipe) == nullptr) Fail("no ring file");
    pclose(pipe);
    std::string file(name);
    while (!file.empty() && file.back() == '\n') file.pop_back();
    auto ring = steptrace::transport::UntrustedRingFile::Open(dir, file.c_str(), geteuid());
    close(dir);
    if (!ring.ok()) Fail(ring.error().text());
    return Drain(*std::move(ring));
  }
  uint64_t Records() {
    uint64_t records = 0;
    for (int ring = file_.thread_count() - 1; ring >= 0; --ring) {
      while (const size_t count = file_.Drain(ring, batch_)) records += count;
    }
    return records;
  }
  bool LostSomething() const {
    return file_.counts().dropped_full + file_.counts().invalid + file_.counts().dropped_budget !=
           0;
  }

 private:
  explicit Drain(steptrace::transport::UntrustedRingFile file) : file_(std::move(file)) {}
  steptrace::transport::UntrustedRingFile file_;
  std::vector<steptrace::wire::Record> batch_ = std::vector<steptrace::wire::Record>(4096);
};

void Round(std::vector<Contender>& contenders, Drain& drain) {
  for (Contender& contender : contenders) {
    const double ns = NsAPair(contender.run);
    contender.ns_a_pair.push_back(ns);
    const uint64_t records = drain.Records();
    if (records != (contender.ours ? 2u * kPairs : 0u) || drain.LostSomething()) {
      Fail(std::string(contender.name) + ": " + std::to_string(records) + " records arrived");
    }
  }
}

double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
  std::vector<Contender> contenders = {
    {.name = "empty_loop", .run = EmptyLoop, .ours = false},
    {.name = "steptrace_header", .run = Steptrace, .ours = true},
    {.name = "steptrace_table", .run = SteptraceTable, .ours = true},
    {.name = "clock_gettime_x2", .run = ClockGettime, .ours = false},
#if defined(__x86_64__)
    {.name = "rdtsc_x2", .run = TimeStampCounter, .ours = false},
#endif
#if defined(STEPTRACE_LTTNG)
    {.name = "lttng_ust", .run = LttngPairs, .ours = false},
#endif
  };
  steptrace_begin("warm up");
  steptrace_end();
  if (steptrace_probe_() == nullptr) Fail("STEPTRACE_PROBE and STEPTRACE_RING_DIR name no probe");
  Drain drain = Drain::OfThisProcess();
  drain.Records();
  for (int round = 0; round < rounds + 3; ++round) {
    Round(contenders, drain);
    if (round == 2) {  // the first lap touches pages for the first time
      for (Contender& contender : contenders) contender.ns_a_pair.clear();
    }
  }
  const double empty = Quantile(contenders[0].ns_a_pair, 0.5);
  for (const Contender& contender : contenders) {
    const double taken_off = contender.run == EmptyLoop ? 0 : empty;
    std::printf("%s %.2f %.2f %.2f\n", contender.name,
                Quantile(contender.ns_a_pair, 0.5) - taken_off,
                Quantile(contender.ns_a_pair, 0.25) - taken_off,
                Quantile(contender.ns_a_pair, 0.75) - taken_off);
  }
  // A program that nobody profiles: the same header, and no probe to be found.
  steptrace_table_ = nullptr;
  std::vector<double> without;
  for (int round = 0; round < rounds; ++round) without.push_back(NsAPair(Steptrace));
  std::printf("header_without_probe %.2f %.2f %.2f\n", Quantile(without, 0.5) - empty,
              Quantile(without, 0.25) - empty, Quantile(without, 0.75) - empty);
  if (drain.Records() != 0) Fail("records without a probe");
  return 0;
}
