// SPDX-License-Identifier: Apache-2.0
#include "import/importers.h"

#include <array>

#include "import/formats/kineto/importer.h"
#include "import/formats/perfetto/importer.h"
#include "import/formats/sagemaker/importer.h"

namespace steptrace::import {

std::span<const Importer* const> Importers() {
  static constexpr std::array kAll = {
      &kineto::kKinetoImporter,
      &kineto::kChromeImporter,
      &perfetto::kPerfettoImporter,
      &sagemaker::kSageMakerImporter,
  };
  return kAll;
}

}  // namespace steptrace::import
