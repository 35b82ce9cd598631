// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_cupti.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A folder of Python packages, with what a test puts into it.
class Site {
 public:
  Site() : root_(fs::path(::testing::TempDir()) / ("site" + std::to_string(getpid()))) {
    fs::create_directories(root_);
    unsetenv("CUDA_INJECTION64_PATH");
    unsetenv("NSYS_PROFILING_SESSION_ID");
  }
  ~Site() { fs::remove_all(root_); }
  Site& With(const fs::path& file, const std::string& text = "") {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
    return *this;
  }
  Site& WithMonitor() {
    With("torch/version.py", "from typing import Optional\n__version__ = '2.14.1+cu132'\n");
    return With("torch/profiler/_cupti/monitor.py");
  }
  HealthCheck Examined() const { return ExamineCuptiUsers({"/nowhere", root_}); }

 private:
  fs::path root_;
};

TEST(DoctorCupti, PyTorchWithoutAMonitorIsNoConflict) {
  Site site;
  site.With("torch/version.py", "__version__ = '2.13.0+cpu'\n");
  EXPECT_EQ(site.Examined().health, Health::kOk);
  EXPECT_THAT(site.Examined().detail, HasSubstr("PyTorch 2.13.0+cpu has no CUPTI monitor"));
}

TEST(DoctorCupti, MonitorThatCannotRunIsNoConflict) {
  Site site;
  site.WithMonitor();
  EXPECT_EQ(site.Examined().health, Health::kOk);
  EXPECT_THAT(site.Examined().detail, HasSubstr("cupti-python is not installed"));
  site.With("cupti/__init__.py").With("nvidia_cuda_cupti-13.0.85.dist-info/METADATA");
  EXPECT_EQ(site.Examined().health, Health::kOk);
  EXPECT_THAT(site.Examined().detail, HasSubstr("libcupti 13.0 is older than 13.2"));
}

TEST(DoctorCupti, AMonitorThatCanRunKeepsWindowsOfKernelsOff) {
  Site site;
  site.WithMonitor().With("cupti/__init__.py");
  EXPECT_EQ(site.Examined().health, Health::kLimited) << "a libcupti from elsewhere may be new";
  site.With("nvidia_cuda_cupti-13.5.25.dist-info/METADATA");
  const HealthCheck finding = site.Examined();
  EXPECT_EQ(finding.health, Health::kLimited);
  EXPECT_THAT(finding.detail, HasSubstr("PyTorch 2.14.1+cu132"));
  EXPECT_THAT(finding.detail, HasSubstr("libcupti 13.5"));
  EXPECT_THAT(finding.next_step, HasSubstr("cupti-python"));
}

TEST(DoctorCupti, WithoutAPyTorchItSaysWhereItWouldShow) {
  const HealthCheck finding = Site().Examined();
  EXPECT_EQ(finding.health, Health::kOk);
  EXPECT_THAT(finding.detail, HasSubstr("kind hook"));
}

TEST(DoctorCupti, AnotherToolThatAVariableNamesIsNamed) {
  for (const char* variable : {"CUDA_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID"}) {
    Site site;
    setenv(variable, "/opt/nsight.so", 1);
    const HealthCheck finding = site.Examined();
    unsetenv(variable);
    EXPECT_EQ(finding.health, Health::kLimited);
    EXPECT_THAT(finding.detail, HasSubstr(variable));
    EXPECT_THAT(finding.next_step, HasSubstr(variable));
  }
}

}  // namespace
}  // namespace steptrace::cli
