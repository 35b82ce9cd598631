// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "import/core/importer.h"

namespace steptrace::import::xplane {

// XPlane profiles (*.xplane.pb) of JAX and TensorFlow: a file holds one process, with all of its
// devices.
extern const Importer kXPlaneImporter;

}  // namespace steptrace::import::xplane
