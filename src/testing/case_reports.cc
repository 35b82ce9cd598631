// SPDX-License-Identifier: Apache-2.0
// usage: verdict_case_reports FOLDER     prints {"name", "report"} of each case there, a line each
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "analyze/report/build_report.h"
#include "analyze/report/report_json.h"
#include "testing/verdict_case.h"

int main(int argc, char** argv) {
  using namespace steptrace::analyze;
  if (argc != 2) return 2;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const auto one = ReadVerdictCase(file);
    if (!one.ok()) {
      std::fprintf(stderr, "%s: %s\n", file.c_str(), one.error().text().c_str());
      return 1;
    }
    const auto report = nlohmann::json::parse(ReportToJson(BuildReport(one->input)));
    std::puts(nlohmann::json{{"name", file.stem()}, {"report", report}}.dump().c_str());
  }
}
