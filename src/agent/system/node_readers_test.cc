// SPDX-License-Identifier: Apache-2.0
// Memory, pressure, disk, network and RDMA: one fixture, each reader's cases by its name.
#include <gtest/gtest.h>

#include "agent/system/disk_reader.h"
#include "agent/system/memory_reader.h"
#include "agent/system/network_reader.h"
#include "agent/system/pressure_reader.h"
#include "agent/system/rdma_reader.h"
#include "testing/capturing_sink.h"
#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

using store::Metric;
using testing::CapturingSink;
using testing::FakeTree;
using testing::SampleClock;

class NodeReaders : public ::testing::Test {
 protected:
  FakeTree proc_, sys_;
  CapturingSink sink_;
  SampleClock clock_;
};

// ---- memory ------------------------------------------------------------------------------------
TEST_F(NodeReaders, MemoryIsTotalLessAvailable) {
  MemoryReader reader(proc_.root());
  proc_.Write("meminfo",
              "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    600 kB\n"
              "SwapCached: 7 kB\nSwapTotal: 50 kB\nSwapFree: 20 kB\n");
  clock_.Sample(reader, sink_);
  EXPECT_EQ(sink_.Value(Metric::kMemoryTotal), 1000 * 1024);
  EXPECT_EQ(sink_.Value(Metric::kMemoryAvailable), 600 * 1024);
  EXPECT_EQ(sink_.Value(Metric::kMemoryUsed), 400 * 1024);
  EXPECT_EQ(sink_.Value(Metric::kSwapUsed), 30 * 1024);
}

TEST_F(NodeReaders, MemoryOfOldKernelsCountsCacheAsAvailable) {
  const auto info =
      ParseMeminfo("MemTotal: 100 kB\nMemFree: 10 kB\nBuffers: 5 kB\nCached: 20 kB\n");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->available_bytes, 35u * 1024);
}

TEST_F(NodeReaders, MemoryMalice) {
  EXPECT_FALSE(ParseMeminfo(""));
  EXPECT_FALSE(ParseMeminfo("MemTotal:\nMemTotal: x kB\nMemTotal: 99999999999999999999 kB\n"));
  const auto info = ParseMeminfo("MemTotal: 10 kB\nMemAvailable: 20 kB\nSwapFree: 9 kB\n");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->available_bytes, info->total_bytes) << "more than all is all";
  MemoryReader reader(proc_.root());
  clock_.Sample(reader, sink_);
  EXPECT_TRUE(sink_.Unavailable("memory"));
}

// ---- pressure ----------------------------------------------------------------------------------
constexpr const char* kPressure =
    "some avg10=1.53 avg60=19.60 avg300=10.53 total=%llu\n"
    "full avg10=0.00 avg60=0.00 avg300=0.00 total=%llu\n";

std::string Pressure(unsigned long long some, unsigned long long full) {
  char text[256];
  std::snprintf(text, sizeof(text), kPressure, some, full);
  return text;
}

TEST_F(NodeReaders, PressureIsStallOverTime) {
  PressureReader reader = PressureReader::OfNode(proc_.root());
  for (const char* file : {"pressure/cpu", "pressure/io", "pressure/memory"}) {
    proc_.Write(file, Pressure(1'000'000, 0));
  }
  clock_.Sample(reader, sink_);
  EXPECT_TRUE(sink_.samples.empty());
  proc_.Write("pressure/cpu", Pressure(1'500'000, 0));
  proc_.Write("pressure/io", Pressure(1'100'000, 50'000));
  clock_.Sample(reader, sink_, 2.0);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kPsiCpuSome), 0.25);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kPsiIoSome), 0.05);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kPsiIoFull), 0.025);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kPsiMemorySome), 0.0);
  proc_.Write("pressure/cpu", Pressure(9'000'000, 0));
  clock_.Sample(reader, sink_);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kPsiCpuSome), 1.0) << "never over the whole";
  proc_.Write("pressure/cpu", Pressure(5, 0));
  clock_.Sample(reader, sink_);
  EXPECT_FALSE(sink_.Has(Metric::kPsiCpuSome)) << "a counter that went back says nothing";
}

TEST_F(NodeReaders, PressureAbsentIsToldOnceWithTheRemedy) {
  PressureReader reader = PressureReader::OfNode(proc_.root());
  clock_.Sample(reader, sink_);
  clock_.Sample(reader, sink_);
  ASSERT_EQ(sink_.unavailable.size(), 1u);
  EXPECT_NE(sink_.unavailable[0].remedy.find("CONFIG_PSI"), std::string::npos);
}

TEST_F(NodeReaders, PressureMalice) {
  EXPECT_FALSE(ParsePressure("").some_us);
  EXPECT_FALSE(ParsePressure("some total=\nfull total=-1\n").full_us);
  EXPECT_FALSE(ParsePressure("some avg10=0 totally=5\nother total=3\n").some_us);
  EXPECT_EQ(ParsePressure("some total=7 total=9").some_us, 9u);
}

// ---- disk --------------------------------------------------------------------------------------
// major minor name reads merged sectors ms writes merged sectors ms in-flight busy weighted
std::string DiskLine(const std::string& name, int read_sectors, int write_sectors, int busy_ms) {
  return "   8  0 " + name + " 10 0 " + std::to_string(read_sectors) + " 5 20 0 " +
         std::to_string(write_sectors) + " 6 0 " + std::to_string(busy_ms) + " 9 0 0 0 0 0 0\n";
}

TEST_F(NodeReaders, DiskCountsWholeDisksOnce) {
  DiskReader reader(proc_.root(), sys_.root());
  for (const char* disk : {"sda", "nvme0n1", "loop0", "zram0", "cciss!c0d0"}) {
    sys_.MakeFolder(std::string("block/") + disk + "/slaves");
  }
  sys_.MakeFolder("block/dm-0/slaves/sda");
  sys_.MakeFolder("block/bcache0/slaves/sda");
  const auto all = [](int read, int written, int busy) {
    std::string text;
    for (const char* name : {"sda", "sda1", "nvme0n1", "nvme0n1p1", "nvme0c0n1", "loop0", "zram0",
                             "dm-0", "bcache0", "cciss/c0d0", "md127", "sr0"}) {
      text += DiskLine(name, read, written, std::string(name) == "sda" ? busy : busy / 2);
    }
    return text;
  };
  proc_.Write("diskstats", all(100, 100, 100));
  clock_.Sample(reader, sink_);
  EXPECT_TRUE(sink_.samples.empty());
  proc_.Write("diskstats", all(300, 200, 500));
  clock_.Sample(reader, sink_, 2.0);
  constexpr int kWholeDisks = 3;  // sda, nvme0n1, cciss/c0d0
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kDiskRead), kWholeDisks * 200 * 512 / 2.0);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kDiskWrite), kWholeDisks * 100 * 512 / 2.0);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kDiskBusyShare), 0.2) << "of the busiest";
}

TEST_F(NodeReaders, DiskWithoutSysfsGoesByTheName) {
  EXPECT_TRUE(IsWholeDisk("/nonexistent", "sda"));
  EXPECT_TRUE(IsWholeDisk("/nonexistent", "nvme0n1"));
  EXPECT_TRUE(IsWholeDisk("/nonexistent", "mmcblk0"));
  EXPECT_TRUE(IsWholeDisk("/nonexistent", "nbd0"));
  EXPECT_FALSE(IsWholeDisk("/nonexistent", "sda1"));
  EXPECT_FALSE(IsWholeDisk("/nonexistent", "xvda12"));
  EXPECT_FALSE(IsWholeDisk("/nonexistent", "nvme0n1p2"));
  EXPECT_FALSE(IsWholeDisk("/nonexistent", "mmcblk0p1"));
  EXPECT_FALSE(IsWholeDisk("/nonexistent", "dm-3"));
}

TEST_F(NodeReaders, DiskThatIsReplacedStartsAnew) {
  DiskReader reader(proc_.root(), sys_.root());
  proc_.Write("diskstats", DiskLine("sda", 0, 0, 0));
  clock_.Sample(reader, sink_);
  proc_.Write("diskstats", DiskLine("sdb", 1000, 0, 0));
  clock_.Sample(reader, sink_);
  EXPECT_TRUE(sink_.samples.empty()) << "sdb's first reading";
  proc_.Write("diskstats", DiskLine("sda", 5000, 0, 0) + DiskLine("sdb", 1001, 0, 0));
  clock_.Sample(reader, sink_);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kDiskRead), 512) << "sda was away: its first reading again";
}

TEST_F(NodeReaders, DiskMalice) {
  std::vector<DiskCounters> disks;
  ParseDiskstats("", disks);
  EXPECT_TRUE(disks.empty());
  ParseDiskstats(
      "8 0\n8 0 sda 1 2 3\nx y sda 1 1 1 1 1 1 1 1 1 1 1\n"
      "8 0 big 1 1 18446744073709551615 1 1 1 1 1 1 1 1\n",
      disks);
  EXPECT_TRUE(disks.empty());
}

// ---- network -----------------------------------------------------------------------------------
constexpr const char* kNetHeader =
    "Inter-|   Receive                            |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes\n";

std::string NetLine(const std::string& name, int received, int sent) {
  return "  " + name + ": " + std::to_string(received) + " 1 0 0 0 0 0 0 " + std::to_string(sent) +
         " 2 0 0 0 0 0 0\n";
}

TEST_F(NodeReaders, NetworkSumsThePhysicalInterfaces) {
  NetworkReader reader(proc_.root(), sys_.root());
  sys_.MakeFolder("class/net/eth0/device");
  sys_.MakeFolder("class/net/docker0");
  const auto all = [](int received, int sent) {
    return kNetHeader + NetLine("lo", received, sent) + NetLine("eth0", received, sent) +
           NetLine("docker0", received, sent) + NetLine("veth1", received, sent);
  };
  proc_.Write("net/dev", all(1000, 500));
  clock_.Sample(reader, sink_);
  proc_.Write("net/dev", all(5000, 700));
  clock_.Sample(reader, sink_, 2.0);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kNetworkReceive), 2000);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kNetworkSend), 100);
}

TEST_F(NodeReaders, NetworkOfAContainerSumsAllButTheLoopback) {
  NetworkReader reader(proc_.root(), sys_.root());
  proc_.Write("net/dev", kNetHeader + NetLine("lo", 9, 9) + NetLine("eth0", 0, 0));
  clock_.Sample(reader, sink_);
  proc_.Write("net/dev", kNetHeader + NetLine("lo", 999, 999) + NetLine("eth0", 100, 10));
  clock_.Sample(reader, sink_);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kNetworkReceive), 100);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kNetworkSend), 10);
}

TEST_F(NodeReaders, NetworkCountersThatGoBackAreNoGrowth) {
  NetworkReader reader(proc_.root(), sys_.root());
  proc_.Write("net/dev", NetLine("eth0", 1000, 1000));
  clock_.Sample(reader, sink_);
  proc_.Write("net/dev", NetLine("eth0", 10, 1500));
  clock_.Sample(reader, sink_);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kNetworkReceive), 0);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kNetworkSend), 500);
}

TEST_F(NodeReaders, NetworkMalice) {
  std::vector<InterfaceCounters> interfaces;
  ParseNetDev("eth0:\n:1 2 3 4 5 6 7 8 9\neth1: 1 2 3\neth2: x 2 3 4 5 6 7 8 9\n", interfaces);
  EXPECT_TRUE(interfaces.empty());
  ParseNetDev("eth0:123 2 3 4 5 6 7 8 9", interfaces);
  ASSERT_EQ(interfaces.size(), 1u) << "old kernels leave no blank after the colon";
  EXPECT_EQ(interfaces[0].received_bytes, 123u);
}

// ---- rdma --------------------------------------------------------------------------------------
TEST_F(NodeReaders, RdmaCountsLanesOfFourBytes) {
  const std::string counters = "class/infiniband/mlx5_0/ports/1/counters/";
  sys_.Write(counters + "port_rcv_data", "1000\n");
  sys_.Write(counters + "port_xmit_data", "0\n");
  RdmaReader reader(sys_.root());
  clock_.Sample(reader, sink_);
  EXPECT_TRUE(sink_.samples.empty());
  sys_.Write(counters + "port_rcv_data", "2000\n");
  clock_.Sample(reader, sink_);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kRdmaReceive), 4000);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kRdmaSend), 0);
}

TEST_F(NodeReaders, RdmaAbsentSaysNothing) {
  RdmaReader reader(sys_.root());
  clock_.Sample(reader, sink_);
  EXPECT_TRUE(sink_.samples.empty() && sink_.unavailable.empty());
}

}  // namespace
}  // namespace steptrace::agent
