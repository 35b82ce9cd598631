// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace steptrace::testing {

// A process as /proc shows it.
struct FakeProcess {
  int pid = 0;
  int ppid = 1;
  uint64_t own_ticks = 0;
  uint64_t children_ticks = 0;
  uint64_t start_ticks = 1;
  uint64_t threads = 1;
  uint64_t rss_pages = 100;
  char state = 'S';
  std::string comm = "python";
  uint64_t anon_kib = 0;  // all three 0: its status tells none
  uint64_t file_kib = 0;
  uint64_t shmem_kib = 0;
  uint64_t read_bytes = 0;
  uint64_t write_bytes = 0;
  uint64_t minor_faults = 0;
  uint64_t major_faults = 0;
  std::string cores = "";  // that it may run on; empty: its status tells none
};

// A folder that stands in for /proc, /sys or both. Files are written in place, so that readers
// with kept descriptors see the new text; one that ended reads as empty, as a dead process's
// descriptor reads as an error.
class FakeTree {
 public:
  FakeTree() {
    std::string name = (std::filesystem::temp_directory_path() / "steptrace-fake-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~FakeTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  FakeTree(const FakeTree&) = delete;
  FakeTree& operator=(const FakeTree&) = delete;

  std::string root() const { return root_.string(); }
  std::string path(std::string_view name) const { return (root_ / name).string(); }
  void MakeFolder(std::string_view name) const {
    std::filesystem::create_directories(root_ / name);
  }
  void Write(std::string_view name, std::string_view text) const {
    const std::filesystem::path file = root_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::trunc | std::ios::binary) << text;
  }
  void Remove(std::string_view name) const { std::filesystem::remove_all(root_ / name); }

  void WriteProcess(const FakeProcess& p) const {
    const std::string folder = std::to_string(p.pid);
    const std::string faults =  // pgrp's followers up to cmajflt
        " 0 0 -1 0 " + std::to_string(p.minor_faults) + " 0 " + std::to_string(p.major_faults) +
        " 0 ";
    Write(folder + "/stat",
          folder + " (" + p.comm + ") " + p.state + " " + std::to_string(p.ppid) + " 1" + faults +
              std::to_string(p.own_ticks) + " 0 " + std::to_string(p.children_ticks) + " 0 20 0 " +
              std::to_string(p.threads) + " 0 " + std::to_string(p.start_ticks) + " 1000000 " +
              std::to_string(p.rss_pages) + " 18446744073709551615 0 0\n");
    const std::string memory = p.anon_kib + p.file_kib + p.shmem_kib == 0
                                   ? ""
                                   : "RssAnon:\t   " + std::to_string(p.anon_kib) +
                                         " kB\nRssFile:\t   " + std::to_string(p.file_kib) +
                                         " kB\nRssShmem:\t   " + std::to_string(p.shmem_kib) +
                                         " kB\n";
    Write(folder + "/status", "Name:\tpython\nTgid:\t" + folder + "\nPid:\t" + folder + "\n" +
                                  memory +
                                  (p.cores.empty() ? "" : "Cpus_allowed_list:\t" + p.cores + "\n"));
    Write(folder + "/io",
          "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: " + std::to_string(p.read_bytes) +
              "\nwrite_bytes: " + std::to_string(p.write_bytes) + "\ncancelled_write_bytes: 0\n");
  }
  void WriteThread(int pid, int tid, uint64_t delay_ns, uint64_t turns, uint64_t voluntary,
                   uint64_t involuntary) const {
    const std::string folder = std::to_string(pid) + "/task/" + std::to_string(tid);
    Write(folder + "/schedstat",
          "1 " + std::to_string(delay_ns) + " " + std::to_string(turns) + "\n");
    Write(folder + "/status", "Tgid:\t" + std::to_string(pid) + "\nvoluntary_ctxt_switches:\t" +
                                  std::to_string(voluntary) + "\nnonvoluntary_ctxt_switches:\t" +
                                  std::to_string(involuntary) + "\n");
  }
  // The process has ended: kept descriptors read nothing, new ones find nothing.
  void EndProcess(int pid) const {
    const std::string folder = std::to_string(pid);
    for (const char* file : {"/stat", "/io", "/status"}) Write(folder + file, "");
    Remove(folder);
  }
  void WriteLastPid(int pid) const {
    Write("loadavg", "0.10 0.20 0.30 2/100 " + std::to_string(pid) + "\n");
  }

 private:
  std::filesystem::path root_;
};

}  // namespace steptrace::testing
