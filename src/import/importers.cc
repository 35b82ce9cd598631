// SPDX-License-Identifier: Apache-2.0
#include "import/importers.h"

#include <fmt/format.h>

#include <array>

#include "import/formats/kineto/kineto_importer.h"
#include "import/formats/nsight/importer.h"
#include "import/formats/perfetto/perfetto_importer.h"
#include "import/formats/sagemaker/sagemaker_importer.h"
#include "import/formats/xplane/importer.h"

namespace steptrace::import {

std::span<const Importer* const> Importers() {
  static constexpr std::array kAll = {
      &kineto::kKinetoImporter,     &kineto::kChromeImporter,
      &xplane::kXPlaneImporter,  // before Perfetto: to it, a row of planes is one of packets
      &perfetto::kPerfettoImporter, &sagemaker::kSageMakerImporter, &nsight::kNsightImporter,
  };
  return kAll;
}

std::string ImporterTitles() {
  std::string titles;
  for (const Importer* importer : Importers()) {
    titles.append(titles.empty() ? "" : ", ").append(importer->title);
  }
  return titles;
}

std::string ImporterMarkdown() {
  std::string table = "| format | known by | becomes |\n| --- | --- | --- |\n";
  for (const Importer* importer : Importers()) {
    for (const ReadFiles& one : importer->reads) {
      table += fmt::format("| {} | {} | {} |\n", one.files, one.known_by, one.become);
    }
  }
  return table;
}

}  // namespace steptrace::import
