# SPDX-License-Identifier: Apache-2.0
"""A run of many ranges of one name.   usage: made_ranges.py PATH COUNT"""

import pathlib
import sys

import pyarrow as pa

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests/e2e"))
from made_runs import MadeRun, slices_table, tracks_table


def main():
    path, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    run = MadeRun(path)
    run.add("tracks", tracks_table(1))
    first = pa.repeat(pa.scalar(0, pa.int32()), count)
    slices = slices_table(
        pa.array(range(0, 1000 * count, 1000), pa.int64()),
        pa.repeat(pa.scalar(500), count),
        pa.repeat(pa.scalar(1, pa.int32()), count),
        pa.DictionaryArray.from_arrays(first, ["forward"]),
    )
    category = slices.schema.get_field_index("category")
    phases = pa.DictionaryArray.from_arrays(first, ["phase"])
    run.add("slices", slices.set_column(category, "category", phases))
    run.close(1000 * count)


if __name__ == "__main__":
    main()
