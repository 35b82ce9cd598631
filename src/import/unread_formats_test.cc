// SPDX-License-Identifier: Apache-2.0
#include "import/unread_formats.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "import/importers.h"

namespace steptrace::import {
namespace {

using Format = UnreadFormat;

struct Case {
  Format format;
  std::string head;
  std::string name = "x";
};

std::string Binary(const std::string& begin) {
  return begin + std::string(16, '\0');
}

std::vector<Case> Cases() {
  return {
      {Format::kPythonProfile, Binary("{)\x03\xFA\x04"
                                      "a.pyi\x01")},
      {Format::kPythonProfile, Binary("\xFB\xA9\x03\xDA\x04"
                                      "a.py")},
      {Format::kPythonProfile, "{(" + std::string("\x03\0\0\0", 4) +
                                   "z\x04"
                                   "a.py"},
      {Format::kCollapsedStacks, "<module> (a.py:10);batch (a.py:6);decode (a.py:4) 12\n"},
      {Format::kFlameGraph, "<?xml version=\"1.0\"?><svg><!-- made by py-spy --></svg>"},
      {Format::kSpeedscope,
       R"({"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[]})"},
      {Format::kPyinstrument, R"({"start_time": 1.5, "sample_count": 3, "root_frame": {}})"},
      {Format::kScalene, R"({"alloc_samples": 0, "args": [], "elapsed_time_sec": 1.5})"},
      {Format::kFirefoxProfile, R"({"meta":{"version":24,"preprocessedProfileVersion":44}})"},
      {Format::kCpuProfile, R"({"nodes":[{"id":1,"callFrame":{}}],"startTime":1})"},
      {Format::kPprof, std::string("\x0A\x04\x08\x01\x10\x02\x0A\x04\x08\x03\x10\x04\0", 13)},
      {Format::kPerfData, Binary("PERFILE2")},
      {Format::kMemray, Binary("memray")},
      {Format::kVizTracerPage, "<!DOCTYPE html><script>/* viztracer */</script>"},
      {Format::kExecutionTrace,
       R"({"schema": "1.1.1-chakra.0.0.4", "nodes": [{"id": 2, "ctrl_deps": 1}]})"},
      {Format::kExecutionTrace,
       R"({"schema": "1.0.1", "nodes": [{"name": "[pytorch|profiler|execution_graph|thread]"}]})"},
      {Format::kMemoryTimeline, "[[-1, 1, 16384, 0], [1795827342550027476, 2, 2048, 2]]"},
      {Format::kMemoryTimeline, "[[1795827342550027, 1795827342550200], [[0, 4], [0, 8]]]"},
      {Format::kMemoryTimeline, "<html><title>GPU Memory Timeline HTML</title></html>"},
      {Format::kMemorySnapshot, Binary("\x80\x04\x95\x01") + "}\x94(\x8C\x08segments\x94]"},
      {Format::kMemorySnapshotJson, R"({"segments": [], "device_traces": [[]]})"},
      {Format::kPickle, Binary("\x80\x02}q")},
      {Format::kRocprof, R"({"rocprofiler-sdk-tool": [{"metadata": {}}]})"},
      {Format::kRocprofDatabase, Binary("SQLite format 3") + "CREATE TABLE rocpd_string"},
      {Format::kNsightSystems, Binary("\x01\x02"), "job/report1.nsys-rep"},
      {Format::kNvprofDatabase,
       Binary("SQLite format 3") + "TABLE CUPTI_ACTIVITY_KIND_KERNEL, StringTable"},
      {Format::kNsightCompute, Binary("NVR")},
      {Format::kAscendDatabase, Binary("SQLite format 3") + "CREATE TABLE CANN_API"},
      {Format::kDatabase, Binary("SQLite format 3") + "CREATE TABLE notes"},
      {Format::kEventFile, Binary("\x18") + "\x1A\x0D"
                                            "brain.Event:2"},
      {Format::kSpans, R"({"resourceSpans":[{"resource":{}}]})"},
  };
}

TEST(UnreadFormats, EachIsKnownByItsFirstBytes) {
  std::set<Format> seen;
  for (const Case& one : Cases()) {
    const auto found = RecogniseUnread(one.head, one.name);
    ASSERT_TRUE(found) << WordsOf(one.format).what;
    EXPECT_EQ(WordsOf(*found).what, WordsOf(one.format).what);
    seen.insert(one.format);
  }
  EXPECT_EQ(seen.size(), static_cast<size_t>(Format::kCount));
}

// Who adds an importer of one of them takes it out of the list.
TEST(UnreadFormats, NoImporterTakesOne) {
  for (const Case& one : Cases()) {
    Source source;
    source.path = source.inside = one.name;
    for (const Importer* importer : Importers()) {
      EXPECT_EQ(importer->detect(one.head, source).confidence, Confidence::kNone)
          << importer->title << " reads " << WordsOf(one.format).what;
    }
  }
}

TEST(UnreadFormats, EachHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < static_cast<size_t>(Format::kCount); ++i) {
    const UnreadWords words = WordsOf(static_cast<Format>(i));
    EXPECT_TRUE(names.insert(words.what).second) << words.what;
    EXPECT_EQ(words.what.find('\n') + words.way.find('\n'), 2 * std::string_view::npos);
  }
}

TEST(UnreadFormats, OtherContentIsNotRecognised) {
  for (const std::string& head :
       {std::string(), std::string("hello"), std::string("{}"), std::string("[1]"),
        std::string("[["), std::string("a;b"), std::string("{\"a\": 1}\n"),
        std::string("\0\0\0\0", 4), std::string("<html></html>"), std::string("\x80"),
        std::string("\x0A")}) {
    EXPECT_FALSE(RecogniseUnread(head, "x")) << head;
  }
  EXPECT_FALSE(RecogniseUnread("a text", "report1.nsys-rep"));
}

}  // namespace
}  // namespace steptrace::import
