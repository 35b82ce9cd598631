// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "import/bytes/byte_stream.h"

namespace steptrace::import {

// One file to read, on the disk or inside an archive.
struct Source {
  std::string path;    // as the user would name it; a member: archive.tar.gz/folder/file
  std::string inside;  // the path below the folder or archive that was given; a file: its name
  int64_t bytes = 0;   // on the disk; of a member: unpacked
  std::function<StreamResult()> open;
  // The same for all members of an archive: they are one stream, of which one at a time is open.
  std::shared_ptr<const void> archive;
  // Of the last member that could be found of a damaged archive: what a user should know of it.
  std::string archive_damage;

  StreamResult Open() const { return open(); }
};

struct FoundSources {
  std::vector<Source> sources;
  std::vector<Error> refused;  // folders below the path that may not be read, a reason each
};

// What a user's path holds: the file, the files of a folder and its folders, the members of an
// archive. In the order of their paths, numbers by value. A path that is not there, or may not be
// read, is an error.
Result<FoundSources> FindSources(const std::string& path, const Limits& limits);

// The first bytes of a source, unpacked: at most `size`. `damage`: why they are fewer than it has;
// empty: they are not.
Result<std::string> ReadHead(const Source& source, size_t size, std::string* damage = nullptr);
// All of a small source; over `at_most` it is an error that names the limit.
Result<std::string> ReadAll(const Source& source, size_t at_most);

}  // namespace steptrace::import
