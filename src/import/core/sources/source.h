// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "import/core/bytes/byte_stream.h"

namespace steptrace::import {

// One file to read, on the disk or inside an archive: a stream, and on the disk a place to seek in.
struct Source {
  std::string path;    // as the user would name it; a member: archive.tar.gz/folder/file
  std::string inside;  // the path below the folder or archive that was given; a file: its name
  int64_t bytes = 0;   // on the disk; of a member: unpacked
  // A stream of its bytes, unpacked: what any source has.
  std::function<StreamResult()> open;
  // For formats with an index, which seek, as ZIP does: the file as it lies on the disk, packed or
  // not. None: a member of an archive, of which there is a stream alone.
  std::optional<std::filesystem::path> file;
  // The same for all members of an archive: they are one stream, of which one at a time is open.
  std::shared_ptr<const void> archive;
  // Of the last member that could be found of a damaged archive: what a user should know of it.
  std::string archive_damage;

  StreamResult Open() const { return open(); }
};

// The first bytes of a source, unpacked: at most `size`. `damage`: why they are fewer than it has;
// empty: they are not.
Result<std::string> ReadHead(const Source& source, size_t size, std::string* damage = nullptr);
// All of a small source; over `at_most` it is an error that names the limit.
Result<std::string> ReadAll(const Source& source, size_t at_most);

}  // namespace steptrace::import
