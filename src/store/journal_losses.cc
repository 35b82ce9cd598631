// SPDX-License-Identifier: Apache-2.0
#include "store/journal_losses.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "store/loss_causes.h"
#include "store/row_columns.h"
#include "store/written_manifests.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// When a journal was written to last, since the run's epoch; none: no journal, or the clock was
// set.
std::optional<int64_t> LastJournalWriteNs(const fs::path& run, const Manifest& manifest) {
  std::optional<int64_t> last_ns;
  if (manifest.epoch_utc_ns <= 0) return last_ns;  // not known
  for (const JournalFile& file : JournalsOf(run, manifest)) {
    struct stat facts {};
    if (::stat(file.path.c_str(), &facts) != 0) continue;
    const int64_t utc_ns = int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec;
    const int64_t run_ns = utc_ns - manifest.epoch_utc_ns;
    if (run_ns > 0 && run_ns > last_ns.value_or(0)) last_ns = run_ns;
  }
  return last_ns;
}

}  // namespace

bool IsAbsorbed(const Manifest& manifest, const JournalFile& file) {
  const auto parts = manifest.tables.find(file.table);
  if (parts == manifest.tables.end()) return false;
  const auto absorbed = parts->second.absorbed_journals.find(file.folder);
  return absorbed != parts->second.absorbed_journals.end() && file.number < absorbed->second;
}

std::optional<DataLossRow> LossOfJournal(const JournalFile& file, const JournalReader& reader,
                                         std::optional<int64_t> last_ns, StringTable& strings) {
  bool lost = reader.end() == JournalEnd::kCutOff || reader.end() == JournalEnd::kDamaged;
  if (!lost) return std::nullopt;
  bool cut = reader.end() == JournalEnd::kCutOff;
  DataLossRow row;
  row.node = file.node;
  row.table = strings.Intern(file.table);
  row.cause =
      strings.Intern(cut ? NameOf(LossCause::kJournalCutOff) : NameOf(LossCause::kJournalDamaged));
  row.count = reader.unread_bytes();
  row.from_ns = last_ns;
  row.detail = fmt::format("{} bytes at the end of {} {}; rows before them are kept",
                           reader.unread_bytes(), file.path.filename().string(),
                           cut ? "are half a batch: its writer died or its disk was full"
                               : "are damaged: check the disk");
  return row;
}

std::vector<DataLossRow> LostJournalLosses(const fs::path& run, const Manifest& manifest,
                                           StringTable& strings) {
  std::vector<DataLossRow> losses;
  for (const JournalFile& file : LostJournalsOf(run, manifest)) {
    if (IsAbsorbed(manifest, file)) continue;
    DataLossRow row;
    row.node = file.node;
    row.table = strings.Intern(file.table);
    row.cause = strings.Intern(NameOf(LossCause::kJournalDamaged));
    row.count = -1;
    row.detail = fmt::format("{} is gone, or not a regular file; restore it from a backup",
                             file.path.filename().string());
    losses.push_back(std::move(row));
  }
  return losses;
}

Result<std::vector<DataLossRow>> JournalLosses(const fs::path& run, const Manifest& manifest,
                                               StringTable& strings) {
  std::vector<DataLossRow> losses = LostJournalLosses(run, manifest, strings);
  for (const JournalFile& file : JournalsOf(run, manifest)) {
    if (IsAbsorbed(manifest, file)) continue;
    STEPTRACE_ASSIGN_OR_RETURN(JournalReader reader, JournalReader::Open(file.path));
    while (auto batch = reader.Next()) {
      bool own = false;
      VisitTable(file.table, [&]<class Row>() { own = AreColumnsOf<Row>(*batch->schema()); });
      if (!own) reader.RejectLast(kOtherTable);
    }
    auto loss = LossOfJournal(file, reader, std::nullopt, strings);
    if (loss) losses.push_back(*std::move(loss));
  }
  return losses;
}

DataLossRow AgentGapLoss(const fs::path& run, const Manifest& manifest, StringTable& strings) {
  DataLossRow loss;
  loss.cause = strings.Intern(NameOf(LossCause::kAgentGap));
  loss.count = -1;
  if (auto last_ns = LastJournalWriteNs(run, manifest)) {
    loss.from_ns = *last_ns;
    if (manifest.end_ns && *manifest.end_ns > *last_ns) loss.to_ns = manifest.end_ns;
  }
  loss.detail =
      "the agent ended before the run: what it had not written down by then and all that came "
      "later is missing";
  return loss;
}

}  // namespace steptrace::store
