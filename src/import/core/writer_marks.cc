// SPDX-License-Identifier: Apache-2.0
#include "import/core/writer_marks.h"

#include <algorithm>
#include <initializer_list>

namespace steptrace::import {
namespace {

using store::ProfileWriter;

bool IsAnyOf(std::string_view text, std::initializer_list<std::string_view> known) {
  return std::find(known.begin(), known.end(), text) != known.end();
}

bool BeginsWithAnyOf(std::string_view text, std::initializer_list<std::string_view> known) {
  return std::any_of(known.begin(), known.end(),
                     [text](std::string_view begin) { return text.starts_with(begin); });
}

}  // namespace

void WriterMarks::Key(std::string_view key) {
  if (key == "viztracer_metadata") Set(ProfileWriter::kViztracer);
  if (IsAnyOf(key,
              {"schemaVersion", "deviceProperties", "baseTimeNanoseconds", "distributedInfo"})) {
    Set(ProfileWriter::kPytorch);
  }
}

void WriterMarks::Category(std::string_view name) {
  if (IsAnyOf(name, {"cpu_op", "Operator"})) Set(ProfileWriter::kPytorch);
  if (name == "FEE") Set(ProfileWriter::kViztracer);
  if (name == "py-spy") Set(ProfileWriter::kPySpy);
  if (BeginsWithAnyOf(name, {"task:", "task::"})) Set(ProfileWriter::kRay);
  if (name == "toplevel" || name.find("devtools.timeline") != std::string_view::npos) {
    Set(ProfileWriter::kChrome);
  }
}

void WriterMarks::Line(std::string_view name) {
  if (IsAnyOf(name, {"Ascend Hardware", "CANN", "HCCL"})) Set(ProfileWriter::kAscend);
  if (BeginsWithAnyOf(name, {"/host:", "/device:"})) Set(ProfileWriter::kXla);
  if (IsAnyOf(name, {"CrBrowserMain", "CrRendererMain", "CrGpuMain"})) Set(ProfileWriter::kChrome);
}

void WriterMarks::EventName(std::string_view name) {
  if (BeginsWithAnyOf(name, {"PjitFunction", "jit_", "jax"})) Set(ProfileWriter::kJax);
  if (BeginsWithAnyOf(name, {"FunctionRun", "Eager", "ExecutorState::", "TFE_", "tf."})) {
    Set(ProfileWriter::kTensorflow);
  }
  if (name.starts_with("NEGOTIATE_")) Set(ProfileWriter::kHorovod);
}

store::ProfileWriter WriterMarks::Writer() const {
  if (Has(ProfileWriter::kAscend)) return ProfileWriter::kAscend;
  if (Has(ProfileWriter::kPytorch)) return ProfileWriter::kPytorch;
  if (Has(ProfileWriter::kXla)) {  // events have such names elsewhere, too
    const bool jax = Has(ProfileWriter::kJax);
    const bool tensorflow = Has(ProfileWriter::kTensorflow);
    if (jax == tensorflow) return ProfileWriter::kXla;
    return jax ? ProfileWriter::kJax : ProfileWriter::kTensorflow;
  }
  for (const ProfileWriter one :
       {ProfileWriter::kViztracer, ProfileWriter::kPySpy, ProfileWriter::kRay,
        ProfileWriter::kHorovod, ProfileWriter::kSagemaker, ProfileWriter::kChrome}) {
    if (Has(one)) return one;
  }
  return ProfileWriter::kUnknown;
}

}  // namespace steptrace::import
