// SPDX-License-Identifier: Apache-2.0
// Any bytes as a journal: whole batches come out valid, or nothing does. The first byte picks the
// table.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "store/journal_reader.h"

namespace steptrace::store {
namespace {

template <class Row>
void ReadAs(UniqueFd fd) {
  auto reader = JournalReader::FromFd(std::move(fd), "fuzz");
  if (!reader.ok()) std::abort();
  StringTable strings;
  RowDecoder<Row> decoder(strings);
  std::vector<Row> rows;
  while (auto batch = reader->Next()) {
    if (!decoder.Decode(*batch, {}, &rows).ok()) break;
    constexpr size_t kEnough = 1 << 20;
    if (rows.size() > kEnough) rows.clear();
  }
  for (const Row& row : rows) {
    ForEachField<Row>([&]<class Member>(const Field<Row, Member>& field) {
      if constexpr (std::is_same_v<Member, StringId>) (void)strings.Text(row.*field.member).size();
    });
  }
  if (reader->unread_bytes() < 0) std::abort();
}

}  // namespace
}  // namespace steptrace::store

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steptrace;
  if (size == 0) return 0;
  UniqueFd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  if (::write(fd.get(), data + 1, size - 1) != static_cast<ssize_t>(size - 1)) return 0;
  size_t number = 0;
  store::ForEachTable([&]<class Row>() {
    if (number++ == data[0] % std::tuple_size_v<store::AllRows>) store::ReadAs<Row>(std::move(fd));
  });
  return 0;
}
