// SPDX-License-Identifier: Apache-2.0
#include "import/formats/xplane/importer.h"

#include <gmock/gmock.h>

#include "import/formats/xplane/import_fixture.h"
#include "import/formats/xplane/made_space.h"

namespace steptrace::import::xplane {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST_F(XPlaneImport, KernelsOfStreamsCountOnce) {
  MadePlane gpu("/device:GPU:1");
  gpu.Line(14, "Stream #14(MemcpyH2D)", 100,
           {gpu.Event("MemcpyH2D", 1000, 5000,
                      {gpu.Ref("memcpy_details", "kind_src:pinned size:4096 async:1")})})
      .Line(15, "Stream #15(Compute)", 100,
            {gpu.Event("loop_fusion_7", 9000, 7000,
                       {gpu.Number("correlation_id", 5), gpu.Number("device_id", 1),
                        gpu.Ref("hlo_op", "fusion.7"),
                        gpu.Text("kernel_details", "regs:8 grid:2,1,1 block:64,1,1")})})
      .Line(16, "XLA Modules", 100, {gpu.Event("jit_step(12)", 1000, 16000)})
      .Line(17, "XLA Ops", 100, {gpu.Event("fusion.7", 9000, 7000)});
  Read(Space({gpu.Bytes()}));
  ASSERT_TRUE(status_.ok()) << status_.error().text();
  EXPECT_EQ(Slices(),
            "0+16 jit_step(12) (xla_line) GPU1.-1\n"
            "0+5 MemcpyH2D (gpu_memcpy) GPU1.14 bytes=4096 "
            "{\"memcpy_details\":\"kind_src:pinned size:4096 async:1\"}\n"
            "8+7 loop_fusion_7 (kernel) GPU1.15 correlation=5 {\"hlo_op\":\"fusion.7\","
            "\"grid\":[2,1,1],\"block\":[64,1,1],\"registers per thread\":8}\n"
            "8+7 fusion.7 (xla_line) GPU1.-1\n");
  EXPECT_THAT(Losses(), IsEmpty());
}

TEST_F(XPlaneImport, OperationsAreTheWorkOfADeviceWithoutStreams) {
  MadePlane tpu("/device:TPU:0");
  tpu.Named("%fusion.3 = f32[8] fusion(...)", "fusion.3",
            {tpu.Text("hlo_category", "convolution"), tpu.Number("flops", 64)});
  tpu.Line(1, "XLA Ops", 0,
           {tpu.Event("while.1", 0, 20000),
            tpu.Event("%fusion.3 = f32[8] fusion(...)", 1000, 4000, {tpu.Number("flops", 32)}),
            tpu.Event("%infeed.2 = token[] infeed(...)", 6000, 4000)})
      .Line(2, "Steps", 0, {tpu.Event("7", 0, 20000)});
  Read(Space({tpu.Bytes()}));
  ASSERT_TRUE(status_.ok());
  const std::string slices = Slices();
  EXPECT_THAT(slices, HasSubstr("0+20 while.1 (xla_line)"));
  EXPECT_THAT(slices, HasSubstr("1+4 fusion.3 (kernel) GPU0.-1 {\"flops\":32,\"long_name\":"
                                "\"%fusion.3 = f32[8] fusion(...)\","
                                "\"hlo_category\":\"convolution\"}\n"));
  EXPECT_THAT(slices, HasSubstr("6+4 infeed.2 (gpu_memcpy)"));
  EXPECT_THAT(slices, HasSubstr("0+20 7 (xla_line)"));
}

TEST_F(XPlaneImport, ThreadsOfTheHost) {
  MadePlane host("/host:CPU");
  host.Line(7, "python", 50,
            {host.Event("train", 0, 90000, {host.Number("step_num", 3)}),
             host.Event("$train.py:11 load", 1000, 2000),
             host.Event("PjitFunction(step)", 4000, 1000),
             host.Event("cuLaunchKernel", 6000, 1000,
                        {host.Number("correlation_id", 5), host.Ref("hlo_op", "fusion.7")}),
             host.Event("load_batch", 8000, 1000), host.Event("dense/MatMul:MatMul", 9000, 1000)})
      .Line(-8, "tf_XLAEigen/-8", 50,
            {host.Event("dot.2", 1000, 2000,
                        {host.Ref("hlo_op", "dot.2"), host.Number("run_id", 77)})});
  Read(Space({host.Bytes()}));
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(Slices(),
            "0+90 train (step_annotation) tid=7 step=3 {\"step_num\":3}\n"
            "1+2 train.py(11): load (python_function) tid=7 step=3\n"
            "1+2 dot.2 (hlo_op) step=3 {\"hlo_op\":\"dot.2\"}\n"
            "4+1 PjitFunction(step) (xla_runtime) tid=7 step=3\n"
            "6+1 cuLaunchKernel (cuda_runtime) tid=7 step=3 correlation=5 "
            "{\"hlo_op\":\"fusion.7\"}\n"
            "8+1 load_batch (user_annotation) tid=7 step=3\n"
            "9+1 dense/MatMul:MatMul (tf_op) tid=7 step=3\n");
  EXPECT_THAT(Metadata("source"), HasSubstr(R"("writer":"jax")"));
}

TEST_F(XPlaneImport, BothEndsAreRoundedSoThatEventsNestAsBefore) {
  MadePlane host("/host:CPU");
  host.Line(7, "python", 0,
            {host.Event("first", 0, 0), host.Event("outer", 1400, 2000),
             host.Event("inner", 1600, 1800)});
  Read(Space({host.Bytes()}));
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Slices(), HasSubstr("1+2 outer"));
  EXPECT_THAT(Slices(), HasSubstr("2+1 inner"));
}

TEST_F(XPlaneImport, AllocationsAreRowsOfMemory) {
  MadePlane host("/host:CPU");
  const auto release =
      host.Event("MemoryDeallocation", 2000, 0,
                 {host.Number("allocation_bytes", 256), host.Ref("allocator_name", "cpu")});
  const auto odd = host.Event("MemoryAllocation", 3000, 0);
  host.Line(
      7, "python", 0,
      {host.Event("MemoryAllocation", 1000, 0,
                  {host.Ref("allocator_name", "GPU_2_bfc"), host.Number("bytes_allocated", 700),
                   host.Number("bytes_available", 1000), host.Number("allocation_bytes", 256),
                   host.Number("requested_bytes", 200), host.Number("addr", 4096)}),
       release, odd});
  Read(Space({host.Bytes()}));
  ASSERT_TRUE(status_.ok());
  const auto rows = Rows<store::MemoryRow>();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].device, 2);
  EXPECT_EQ(rows[0].bytes, 256);
  EXPECT_EQ(rows[0].address, 4096);
  EXPECT_EQ(rows[0].total_allocated_bytes, 700);
  EXPECT_EQ(rows[0].total_reserved_bytes, 1700);
  EXPECT_EQ(rows[1].device, -1);
  EXPECT_EQ(rows[1].bytes, -256);
  EXPECT_EQ(rows[1].total_reserved_bytes, std::nullopt);
  EXPECT_THAT(Losses(), UnorderedElementsAre(Pair("bad_memory_event", 1)));
}

TEST_F(XPlaneImport, FiguresOfADeviceAreCounters) {
  MadePlane tpu("/device:TPU:0");
  tpu.Line(
      1, "_counters_", 10,
      {tpu.Event("power", 1000, 0, {tpu.Real("counter_value", 1.5)}), tpu.Event("power", 2000, 0)});
  Read(Space({tpu.Bytes()}));
  ASSERT_TRUE(status_.ok());
  const auto rows = Rows<store::CounterRow>();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].value, 1.5);
  EXPECT_EQ(tracks_[rows[0].track].name, "power");
  EXPECT_THAT(Losses(), UnorderedElementsAre(Pair("bad_counter", 1)));
}

TEST_F(XPlaneImport, WhatNobodyKnowsHasACategoryOfItsOwn) {
  MadePlane chip("#Chip0 TPU Non-Core HBM");
  chip.Line(1, "reads", 0, {chip.Event("burst", 0, 1000)});
  MadePlane gpu("/device:GPU:0");
  gpu.Line(1, "Brand New Line", 0, {gpu.Event("thing", 0, 1000)});
  Read(Space({chip.Bytes(), gpu.Bytes()}));
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Slices(), HasSubstr("burst (xplane #Chip TPU Non-Core HBM)"));
  EXPECT_THAT(Slices(), HasSubstr("thing (xplane Brand New Line)"));
}

TEST_F(XPlaneImport, TheSessionTellsTheDate) {
  MadePlane host("/host:CPU");
  host.Line(7, "python", 500, {host.Event("a", 0, 1000)});
  MadePlane session("Task Environment");
  session.Has(session.Number("profile_start_time", 1'771'595'639'214'724'894));
  std::string space = Space({host.Bytes(), session.Bytes()});
  protozero::pbf_writer(space).add_string(in_space::kHostname, "vm7");
  Read(space);
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(reader_->manifest().epoch_utc_ns, 1'771'595'639'214'725'394);
}

TEST_F(XPlaneImport, JaxTellsItsVersionAndItsProcess) {
  MadePlane host("/host:CPU");
  host.Line(7, "python", 500, {host.Event("a", 0, 1000)});
  host.Has(host.Number("process_id", 4711));
  MadePlane programs("/host:metadata");
  programs.Has(programs.Text("jax_version", "0.10.2"));
  Read(Space({host.Bytes(), programs.Bytes()}));
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Metadata("source"), HasSubstr(R"("writer":"jax")"));
  EXPECT_THAT(reader_->manifest().versions, Contains(Pair("jax", "0.10.2")));
  for (const auto& [number, track] : tracks_) EXPECT_EQ(track.pid, 4711);
}

TEST_F(XPlaneImport, DevicesTellWhatTheyAre) {
  MadePlane gpu("/device:GPU:0");
  gpu.Has(gpu.Ref("device_vendor", "AMD")).Has(gpu.Number("core_count", 304));
  gpu.Line(1, "Stream #1(Compute)", 0, {gpu.Event("k", 0, 1000)});
  Read(Space({gpu.Bytes()}));
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Metadata("device"), HasSubstr(R"("name":"AMD GPU","numSms":304)"));
}

TEST_F(XPlaneImport, WarningsOfTheProfilerAreSaid) {
  MadePlane host("/host:CPU");
  host.Line(7, "python", 500, {host.Event("a", 0, 1000)});
  std::string space = Space({host.Bytes()});
  protozero::pbf_writer(space).add_string(in_space::kError, "events were dropped");
  protozero::pbf_writer(space).add_string(in_space::kWarning, "no CUPTI");
  Read(space);
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Losses(), UnorderedElementsAre(Pair("profiler_warned", 2)));
}

TEST_F(XPlaneImport, ProgramsAreNoEvents) {
  MadePlane programs("/host:metadata");
  programs.Named("jit_step(1)", "", {programs.Text("Hlo Proto", std::string(100'000, 'x'))});
  Read(Space({programs.Bytes()}));
  ASSERT_FALSE(status_.ok());
  EXPECT_THAT(status_.error().text(), HasSubstr("holds no event"));
}

TEST(XPlaneCopies, AreTheNamesBesideAFile) {
  Source source;
  source.path = "runs/plugins/profile/2026/vm.xplane.pb.gz";
  const auto copies = kXPlaneImporter.copies(source);
  EXPECT_THAT(copies, Contains("runs/plugins/profile/2026/vm.trace.json.gz"));
  EXPECT_THAT(copies, Contains("runs/plugins/profile/2026/perfetto_trace.json.gz"));
  source.path = "vm.pb";
  EXPECT_THAT(kXPlaneImporter.copies(source), Not(Contains("vm.trace.json.gz")));
}

}  // namespace
}  // namespace steptrace::import::xplane
