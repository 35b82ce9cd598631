// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/metadata.toml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace steptrace::store {

// clang-format off
// Who wrote a profile.
enum class ProfileWriter : uint8_t {
  kUnknown,
  kPytorch,
  kAscend,
  kJax,
  kTensorflow,
  kXla,
  kViztracer,
  kRay,
  kChrome,
  kPySpy,
  kHorovod,
  kNsight,
  kNsightPytorch,
  kSagemaker,
};

struct ProfileWriterInfo {
  std::string_view id;         // as it is stored; empty: it is not known
  std::string_view title;      // as it is said
  std::string_view framework;  // whose training it profiles; empty: any, or none
};
inline constexpr ProfileWriterInfo kProfileWriters[] = {
    {"", "", ""},
    {"pytorch", "PyTorch Profiler", "pytorch"},
    {"ascend", "Ascend's PyTorch profiler", "pytorch"},
    {"jax", "JAX's profiler", "jax"},
    {"tensorflow", "TensorFlow's profiler", "tensorflow"},
    {"xla", "the profiler of XLA", ""},
    {"viztracer", "VizTracer", ""},
    {"ray", "Ray's timeline", ""},
    {"chrome", "Chrome", ""},
    {"py_spy", "py-spy", ""},
    {"horovod", "Horovod's timeline", ""},
    {"nsight", "Nsight Systems", ""},
    {"nsight_pytorch", "Nsight Systems, of a PyTorch training", "pytorch"},
    {"sagemaker", "SageMaker Debugger", ""},
};
// clang-format on

constexpr const ProfileWriterInfo& InfoOf(ProfileWriter writer) {
  return kProfileWriters[static_cast<size_t>(writer)];
}

constexpr ProfileWriter ProfileWriterOf(std::string_view id) {
  for (size_t i = 0; i < std::size(kProfileWriters); ++i) {
    if (kProfileWriters[i].id == id) return static_cast<ProfileWriter>(i);
  }
  return ProfileWriter::kUnknown;
}

}  // namespace steptrace::store
