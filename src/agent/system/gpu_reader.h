// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/system/gpm_reader.h"
#include "agent/system/gpu_users.h"
#include "agent/system/metric_sink.h"
#include "agent/system/nvml_library.h"
#include "agent/system/rates.h"

namespace steptrace::agent {

struct GpuDevice {
  int32_t device = 0;  // NVML's index: by PCI bus, whatever CUDA_VISIBLE_DEVICES says
  std::string name;
  bool gpm = false;  // how much of it is in use can be told (GpmReader)
};

// Whether the machine has an NVIDIA GPU on its PCI bus, with a driver or without.
bool HasNvidiaGpu(const std::string& sys_root);

// NVIDIA GPUs by NVML. The library is loaded at the first sample. A metric that a GPU does not
// support is not asked for again; a GPU that is lost is left alone; both are reported once.
//
// A call of NVML can block for milliseconds, the first ones for seconds: a thread that must not
// wait (the one that drains rings) must not sample GPUs. One thread.
class GpuReader {
 public:
  explicit GpuReader(std::string library_path, std::string sys_root = "/sys",
                     std::string proc_root = "/proc")
      : library_path_(std::move(library_path)),
        sys_root_(std::move(sys_root)),
        proc_root_(std::move(proc_root)) {}
  ~GpuReader();

  // `job`: the living processes of the run, to tell others on its GPUs from.
  void Sample(SampleContext& context, const std::set<int32_t>& job = {});
  // Known after the first sample.
  const std::vector<GpuDevice>& devices() const { return devices_; }
  // By how much this process's memory grew as the library was loaded, bytes: the driver's, not
  // ours.
  int64_t library_bytes() const { return library_bytes_; }

 private:
  struct Gpu {
    int32_t index = 0;
    nvml::Device handle = nullptr;
    bool lost = false;
    uint32_t unsupported = 0;  // a bit for each Ask
    RateOf pcie_received{}, pcie_sent{}, nvlink_received{}, nvlink_sent{};
    std::optional<uint64_t> ecc_single_begin{}, ecc_double_begin{};
    std::unique_ptr<GpmReader> gpm{};
    std::unique_ptr<GpuUsers> users{};
  };
  enum Query : uint32_t;

  void Load(SampleContext& context);
  void FindGpus(SampleContext& context);
  void RegisterXid(SampleContext& context);
  void SampleGpu(SampleContext& context, Gpu& gpu, std::optional<double> seconds);
  void SampleGauges(SampleContext& context, Gpu& gpu);
  void SampleGpm(SampleContext& context, Gpu& gpu);
  void SampleClocks(SampleContext& context, Gpu& gpu);
  void SampleFields(SampleContext& context, Gpu& gpu, std::optional<double> seconds);
  void EmitField(SampleContext& context, Gpu& gpu, const nvml::FieldValue& field,
                 std::optional<double> seconds);
  void SampleXid(SampleContext& context);
  template <class Function, class... Arguments>
  bool Call(SampleContext& context, Gpu& gpu, Query ask, const char* what, Function* function,
            Arguments... arguments);
  bool Supported(SampleContext& context, Gpu& gpu, Query ask, const char* what, nvml::Return code);

  std::string library_path_;
  std::string sys_root_;
  std::string proc_root_;
  bool tried_ = false;
  std::unique_ptr<NvmlLibrary> library_;
  int64_t library_bytes_ = 0;
  std::vector<Gpu> gpus_;
  std::vector<GpuDevice> devices_;
  nvml::EventSet events_ = nullptr;
  Elapsed elapsed_;
};

}  // namespace steptrace::agent
