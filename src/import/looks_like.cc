// SPDX-License-Identifier: Apache-2.0
#include "import/looks_like.h"

#include <algorithm>
#include <utility>

#include "import/unread_formats.h"

namespace steptrace::import {

FormatGuess GuessFormat(std::string_view head, std::string_view name) {
  if (const auto unread = RecogniseUnread(head, name)) {
    const UnreadWords words = WordsOf(*unread);
    return {std::string(words.what), std::string(words.way)};
  }
  std::string_view text = head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.empty()) return {"an empty file"};
  if (head.starts_with(std::string_view("PAR1", 4))) return {"a Parquet file"};
  if (head.starts_with(std::string_view("\x89PNG", 4))) return {"a PNG picture"};
  if (head.starts_with(std::string_view("\x7F"
                                        "ELF",
                                        4)))
    return {"a program"};
  for (const auto& [magic, packed] : {
           std::pair(std::string_view("\x28\xB5\x2F\xFD", 4), "a zstd file"),
           {std::string_view("BZh"), "a bzip2 file"},
           {std::string_view("\xFD"
                             "7zXZ"),
            "an xz file"},
           {std::string_view("7z\xBC\xAF\x27\x1C", 6), "a 7z archive"},
       }) {
    if (head.starts_with(magic)) return {packed, "unpack it first"};
  }
  if (head.starts_with("\x1F\x8B")) return {"gzip inside gzip", "unpack it once"};
  if (head.starts_with("version https://git-lfs.")) {
    return {"a pointer of Git LFS, not the file itself", "fetch it with `git lfs pull`"};
  }
  if (text.starts_with('<')) return {"HTML or XML"};
  if (text.starts_with('{') || text.starts_with('[')) return {"JSON without trace events"};
  bool binary = std::any_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
  return {binary ? "a binary file of no known format" : "text"};
}

}  // namespace steptrace::import
