// SPDX-License-Identifier: Apache-2.0
#include "import/core/writer_marks.h"

#include <gtest/gtest.h>

namespace steptrace::import {
namespace {

using store::ProfileWriter;

TEST(WriterMarks, WriterIsKnownByMetadataInTheFile) {
  const auto of = [](auto set) {
    WriterMarks marks;
    set(marks);
    return marks.Writer();
  };
  using Marks = WriterMarks;
  EXPECT_EQ(of([](Marks&) {}), ProfileWriter::kUnknown);
  EXPECT_EQ(of([](Marks& m) { m.Key("schemaVersion"); }), ProfileWriter::kPytorch);
  EXPECT_EQ(of([](Marks& m) { m.Category("cpu_op"); }), ProfileWriter::kPytorch);
  EXPECT_EQ(of([](Marks& m) { m.Key("viztracer_metadata"); }), ProfileWriter::kViztracer);
  EXPECT_EQ(of([](Marks& m) { m.Category("FEE"); }), ProfileWriter::kViztracer);
  EXPECT_EQ(of([](Marks& m) { m.Category("py-spy"); }), ProfileWriter::kPySpy);
  EXPECT_EQ(of([](Marks& m) { m.Category("task:execute"); }), ProfileWriter::kRay);
  EXPECT_EQ(of([](Marks& m) { m.Category("devtools.timeline,v8"); }), ProfileWriter::kChrome);
  EXPECT_EQ(of([](Marks& m) { m.Line("CrRendererMain"); }), ProfileWriter::kChrome);
  EXPECT_EQ(of([](Marks& m) { m.EventName("NEGOTIATE_ALLREDUCE"); }), ProfileWriter::kHorovod);
  EXPECT_EQ(of([](Marks& m) { m.Is(ProfileWriter::kSagemaker); }), ProfileWriter::kSagemaker);
}

TEST(WriterMarks, TheFrameworkOfXlasProfilerIsToldByItsEvents) {
  WriterMarks marks;
  marks.EventName("PjitFunction(step)");
  EXPECT_EQ(marks.Writer(), ProfileWriter::kUnknown);  // any program may name an event so
  marks.Line("/device:GPU:0");
  EXPECT_EQ(marks.Writer(), ProfileWriter::kJax);
  marks.EventName("FunctionRun");  // both: neither
  EXPECT_EQ(marks.Writer(), ProfileWriter::kXla);
  WriterMarks other;
  other.Line("/host:CPU");
  EXPECT_EQ(other.Writer(), ProfileWriter::kXla);
  other.EventName("ExecutorState::Process");
  EXPECT_EQ(other.Writer(), ProfileWriter::kTensorflow);
}

TEST(WriterMarks, ThoseOfPiecesComeTogether) {
  WriterMarks marks;
  marks.Category("cpu_op");
  WriterMarks piece;
  piece.Line("Ascend Hardware");
  marks.Add(piece);
  EXPECT_EQ(marks.Writer(), ProfileWriter::kAscend);
}

}  // namespace
}  // namespace steptrace::import
