# SPDX-License-Identifier: Apache-2.0
"""A run's folder is readable as it is by pyarrow, DuckDB and polars, without Steptrace."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
import run_manifest

pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")

ROOT = Path(__file__).resolve().parents[2]
STEPS, RANKS, SLICES = 250, 2, 4
TABLES = {"steps": STEPS * RANKS, "slices": STEPS * RANKS * SLICES, "counters": STEPS}


def make_run_program():
    """The helper of src/store; every build with tests has it."""
    named = os.environ.get("STEPTRACE_STORE_MAKE_RUN")
    found = [Path(named)] if named else list(ROOT.glob("build/*/src/store/store_make_run"))
    if not found:
        pytest.fail(
            "store_make_run is not built: cmake --build build/<preset> --target store_make_run"
        )
    return max(found, key=lambda path: path.stat().st_mtime)


def make_run(run, *settings):
    sizes = [f"steps={STEPS}", f"ranks={RANKS}", f"slices={SLICES}"]
    command = [str(make_run_program()), str(run), *sizes, *settings]
    return subprocess.run(command, timeout=60, check=False, capture_output=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readable") / "run"
    # Small chunks: several segments of each table, as a long run has them.
    made = make_run(folder, "chunk=20000")
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture(scope="module")
def live_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readable") / "live"
    made = make_run(folder, "end=die")
    assert made.returncode == -signal.SIGKILL, made.stderr
    return folder


def test_the_manifest_names_every_file_and_row(run):
    manifest = json.loads((run / "run.json").read_text())
    assert manifest["format"] == 2
    assert manifest == run_manifest.read(run)
    assert manifest["status"] == "completed"
    named = [part["file"] for table in manifest["tables"].values() for part in table["segments"]]
    there = [str(path.relative_to(run)) for path in (run / "tables").rglob("*.parquet")]
    assert sorted(named) == sorted(there)
    assert len([name for name in there if name.startswith("tables/steps/")]) > RANKS
    for table, rows in TABLES.items():
        assert manifest["tables"][table]["rows"] == rows


@pytest.mark.parametrize("table", TABLES)
def test_pyarrow_dataset_reads_a_table(run, table):
    read = ds.dataset(run / "tables" / table, partitioning="hive").to_table()
    assert read.num_rows == TABLES[table]
    assert len(set(read.column_names)) == len(read.column_names)


def test_pyarrow_reads_ranks_from_the_path(run):
    steps = pq.read_table(run / "tables" / "steps")
    assert steps.num_rows == TABLES["steps"]
    assert sorted(set(steps["rank"].to_pylist())) == list(range(RANKS))
    assert set(steps["node"].to_pylist()) == {0}
    only = pq.read_table(run / "tables" / "steps", filters=[("rank", "==", 1)])
    assert only.num_rows == STEPS


def test_each_segment_is_sorted_and_compressed_with_named_dictionaries(run):
    for path in (run / "tables" / "slices").rglob("*.parquet"):
        times = pq.read_table(path, partitioning=None)["ts_ns"].to_pylist()
        assert times == sorted(times)
        chunk = pq.ParquetFile(path).metadata.row_group(0)
        columns = {
            chunk.column(i).path_in_schema: chunk.column(i) for i in range(chunk.num_columns)
        }
        assert all(column.compression == "ZSTD" for column in columns.values())
        assert "RLE_DICTIONARY" in columns["name"].encodings
        assert "DELTA_BINARY_PACKED" in columns["ts_ns"].encodings
        assert pa.types.is_dictionary(pq.ParquetFile(path).schema_arrow.field("name").type)


def test_duckdb_reads_all_tables(run):
    duckdb = pytest.importorskip("duckdb")
    for table, rows in TABLES.items():
        files = f"{run}/tables/{table}/**/*.parquet"
        query = f"select count(*) from read_parquet('{files}', hive_partitioning=true)"
        assert duckdb.sql(query).fetchall() == [(rows,)]
    files = f"{run}/tables/steps/**/*.parquet"
    query = (
        "select rank, count(*), sum(data_ns) from"
        f" read_parquet('{files}', hive_partitioning=true) where kind = 'train' group by 1 order by 1"
    )
    by_rank = duckdb.sql(query).fetchall()
    assert [(rank, count) for rank, count, _ in by_rank] == [(0, STEPS - 3), (1, STEPS - 3)]
    # The rank of those who have none stands in the path too.
    files = f"{run}/tables/tracks/**/*.parquet"
    query = f"select rank, kind from read_parquet('{files}', hive_partitioning=true) where name = 'host'"
    assert duckdb.sql(query).fetchall() == [(-1, "node")]


def test_polars_reads_all_tables(run):
    pl = pytest.importorskip("polars")
    for table, rows in TABLES.items():
        files = str(run / "tables" / table / "**" / "*.parquet")
        read = pl.scan_parquet(files, hive_partitioning=True).collect()
        assert read.height == rows
    files = str(run / "tables" / "tracks" / "**" / "*.parquet")
    tracks = pl.scan_parquet(files, hive_partitioning=True).collect()
    assert sorted(tracks["rank"].to_list()) == [-1, -1, 0, 1]
    assert tracks.filter(pl.col("rank") == 1)["name"].to_list() == ['main é "quoted", rank 1']


def test_all_three_read_the_same(run):
    duckdb = pytest.importorskip("duckdb")
    pl = pytest.importorskip("polars")
    folder = run / "tables" / "slices"
    arrow = ds.dataset(folder, partitioning="hive").to_table(columns=["ts_ns", "dur_ns", "rank"])
    polars = pl.scan_parquet(str(folder / "**" / "*.parquet"), hive_partitioning=True)
    sums = (sum(arrow["ts_ns"].to_pylist()), sum(arrow["dur_ns"].to_pylist()))
    totals = polars.select(pl.col("ts_ns").sum(), pl.col("dur_ns").sum()).collect().row(0)
    query = f"select sum(ts_ns), sum(dur_ns) from read_parquet('{folder}/**/*.parquet')"
    assert totals == sums
    assert duckdb.sql(query).fetchall() == [sums]


def read_stream(path, size=None):
    """All whole batches of a journal, cut off at `size`."""
    data = path.read_bytes()[:size]
    batches = []
    stream = pa.ipc.open_stream(data)
    try:
        for batch in stream:
            batches.append(batch)
    except (pa.ArrowInvalid, OSError):
        pass
    return sum(batch.num_rows for batch in batches), batches


def journal_of(run, table):
    (journal,) = run.glob(f"journal/*/{table}-0.arrows")
    return journal


def test_pyarrow_opens_the_journal_of_a_dead_run(live_run):
    journals = sorted(live_run.glob("journal/*/*.arrows"))
    assert {path.name for path in journals} >= {f"{table}-0.arrows" for table in TABLES}
    for table, rows in TABLES.items():
        read, batches = read_stream(journal_of(live_run, table))
        assert read == rows
        assert len(batches) >= 3  # one a flush
    names = pa.Table.from_batches(read_stream(journal_of(live_run, "slices"))[1])["name"]
    assert set(names.to_pylist()) == {"data", "forward", "backward", "optimizer"}


def test_pyarrow_reads_a_cut_journal_up_to_its_last_whole_batch(live_run):
    journal = journal_of(live_run, "steps")
    whole, batches = read_stream(journal)
    cut, _ = read_stream(journal, journal.stat().st_size - 1)
    assert cut == whole - batches[-1].num_rows
