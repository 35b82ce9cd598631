// SPDX-License-Identifier: Apache-2.0
#include "agent/system/system_sampler.h"

#include <sys/resource.h>

#include <algorithm>
#include <set>

#include "agent/system/cgroup_reader.h"
#include "agent/system/cpu_counter_reader.h"
#include "agent/system/cpu_reader.h"
#include "agent/system/disk_reader.h"
#include "agent/system/memory_reader.h"
#include "agent/system/network_reader.h"
#include "agent/system/pressure_reader.h"
#include "agent/system/private_memory_reader.h"
#include "agent/system/rdma_reader.h"
#include "agent/system/self_reader.h"

namespace steptrace::agent {
namespace {

// A part of what the process may open: the rest is for rings, the run and NVML.
size_t PartOfFiles(rlim_t part, rlim_t enough) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return std::min(limit.rlim_cur / part, enough);
}

int MaxKeptFiles() {
  return static_cast<int>(PartOfFiles(4, 256));
}

JobOptions JobOptionsOf(const SystemSamplerOptions& options) {
  JobOptions job;
  job.proc_root = options.proc_root;
  job.roots = options.job_roots;
  job.max_kept_files = MaxKeptFiles();
  return job;
}

}  // namespace

struct SystemSampler::Readers {
  explicit Readers(const SystemSamplerOptions& options)
      : cpu(options.proc_root),
        memory(options.proc_root),
        pressure(PressureReader::OfNode(options.proc_root)),
        disk(options.proc_root, options.sys_root),
        network(options.proc_root, options.sys_root),
        rdma(options.sys_root),
        job(JobOptionsOf(options)),
        counters(options.proc_root, KernelCpuCounters(),
                 PartOfFiles(8, CpuCounterReader::kMostCounters)),
        private_memory(options.proc_root),
        roots(options.job_roots),
        cgroup(options.proc_root),
        gpu(options.nvml_library, options.sys_root, options.proc_root),
        self(options.proc_root) {}

  CpuReader cpu;
  MemoryReader memory;
  PressureReader pressure;
  DiskReader disk;
  NetworkReader network;
  RdmaReader rdma;
  JobReader job;
  CpuCounterReader counters;
  PrivateMemoryReader private_memory;
  std::function<std::vector<JobRoot>()> roots;
  CgroupReader cgroup;
  GpuReader gpu;
  SelfReader self;
  std::set<std::string> reported;
};

SystemSampler::SystemSampler(SystemSamplerOptions options)
    : interval_ns_(options.interval_ns),
      own_cost_(options.own_cost),
      readers_(std::make_unique<Readers>(options)) {}

SystemSampler::~SystemSampler() = default;

Result<std::unique_ptr<SystemSampler>> SystemSampler::Create(SystemSamplerOptions options) {
  if (options.interval_ns < kShortestIntervalNs || options.interval_ns > kLongestIntervalNs) {
    return Error{"system sampling: an interval of " +
                     std::to_string(options.interval_ns / 1'000'000) + " ms is out of bounds",
                 "choose 100 ms to 60 s"};
  }
  return std::unique_ptr<SystemSampler>(new SystemSampler(std::move(options)));
}

void SystemSampler::Sample(int64_t now_ns, MetricSink& sink) {
  Readers& read = *readers_;
  SampleContext context(now_ns, sink, read.reported);
  read.cpu.Sample(context);
  read.memory.Sample(context);
  read.pressure.Sample(context);
  read.disk.Sample(context);
  read.network.Sample(context);
  read.rdma.Sample(context);
  read.job.Sample(context);
  read.counters.Sample(context, read.job.Living(CpuCounterReader::kMostProcesses));
  if (read.roots) read.private_memory.Sample(context, read.roots());
  read.cgroup.Sample(context, read.job.oldest_pid());
  read.gpu.Sample(context, read.job.pids());
  if (own_cost_) read.self.Sample(context);
}

int64_t SystemSampler::interval_ns() const {
  return interval_ns_;
}
const std::vector<GpuDevice>& SystemSampler::gpus() const {
  return readers_->gpu.devices();
}
std::vector<JobRoot> SystemSampler::JobProcesses() const {
  std::vector<JobRoot> processes;
  for (const JobProcess& process : readers_->job.Living(readers_->job.processes())) {
    processes.push_back({process.pid, process.start_ticks});
  }
  return processes;
}
int64_t SystemSampler::driver_bytes() const {
  return readers_->gpu.library_bytes();
}

}  // namespace steptrace::agent
