// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_cupti.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSubject = "other users of CUPTI";

struct Version {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Version&) const = default;
};
// Subscribers have activity calls of their own from this one on.
constexpr Version kFirstWithSubscribersCalls{13, 2};

bool Exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// `__version__ = '2.14.1+cu130'` in torch/version.py.
std::string TorchVersion(const fs::path& torch) {
  std::ifstream in(torch / "version.py");
  for (std::string line; std::getline(in, line);) {
    const size_t begin = line.find('\'');
    if (line.starts_with("__version__") && begin != line.npos) {
      return line.substr(begin + 1, line.find('\'', begin + 1) - begin - 1);
    }
  }
  return "of unknown version";
}

// Of the wheel of NVIDIA's that brings it; nothing: it comes from elsewhere.
std::optional<Version> CuptiVersion(const fs::path& site) {
  constexpr std::string_view kStart = "nvidia_cuda_cupti";
  std::error_code error;
  std::optional<Version> newest;
  for (const auto& entry : fs::directory_iterator(site, error)) {
    const std::string name = entry.path().filename();
    const size_t dash = name.find('-');
    if (!name.starts_with(kStart) || !name.ends_with(".dist-info") || dash == name.npos) continue;
    char* end = nullptr;
    Version version;
    version.major = static_cast<int>(std::strtol(name.c_str() + dash + 1, &end, 10));
    if (*end == '.') version.minor = static_cast<int>(std::strtol(end + 1, nullptr, 10));
    if (!newest || version > *newest) newest = version;
  }
  return newest;
}

HealthCheck OfTorch(const fs::path& site) {
  const fs::path torch = site / "torch";
  const std::string name = "PyTorch " + TorchVersion(torch);
  if (!Exists(torch / "profiler" / "_cupti" / "monitor.py")) {
    return {kSubject, Health::kOk,
            name + " has no CUPTI monitor but its profiler, which windows of kernels make way for",
            ""};
  }
  if (!Exists(site / "cupti")) {
    return {kSubject, Health::kOk,
            name + " has a CUPTI monitor, which cannot run: cupti-python is not installed", ""};
  }
  const std::optional<Version> cupti = CuptiVersion(site);
  if (cupti && *cupti < kFirstWithSubscribersCalls) {
    return {kSubject, Health::kOk,
            fmt::format("{} has a CUPTI monitor, which cannot run: libcupti {}.{} is older than "
                        "13.2",
                        name, cupti->major, cupti->minor),
            ""};
  }
  const std::string version =
      cupti ? fmt::format("{}.{}", cupti->major, cupti->minor) : "of unknown version";
  return {kSubject, Health::kLimited,
          fmt::format("{} has a CUPTI monitor, which can run (cupti-python, libcupti {}): CUPTI "
                      "refuses its calls together with ours, so windows of kernels stay off",
                      name, version),
          "for windows of kernels uninstall cupti-python, if the training does not use it"};
}

}  // namespace

HealthCheck ExamineCuptiUsers(const std::vector<fs::path>& sites) {
  for (const char* variable : {"CUDA_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && value[0] != 0) {
      return {
          kSubject, Health::kLimited,
          fmt::format("{} is set: another tool uses CUPTI in programs that start here", variable),
          fmt::format("unset {} for windows of kernels", variable)};
    }
  }
  for (const fs::path& site : sites) {
    if (Exists(site / "torch" / "version.py")) return OfTorch(site);
  }
  return {kSubject, Health::kOk,
          "no PyTorch next to this package; other users of CUPTI are listed in the run "
          "(run_metadata, kind hook)",
          ""};
}

}  // namespace steptrace::cli
