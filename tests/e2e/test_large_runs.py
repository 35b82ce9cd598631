# SPDX-License-Identifier: Apache-2.0
"""The pages' server on large runs: its memory, whatever is asked of it, and that its answers are
those of the command line."""

import concurrent.futures
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from fault_tools import executable
from made_runs import make_dense, make_trained
from pages_server import LIMIT_S, Server

# The server needs less than half of it. Of one that makes these reports itself it is not enough.
MOST_BYTES = 256 << 20
WIDTH = 8192  # pixels of a view, the most
MOST_VIEW_ROWS = 500_000
MOST_VIEW_BYTES = 400 << 20  # with what waits for six peers
# Of a report of 600,000 slices, and of 400,000 steps, on one core: 10 % more than it takes.
MOST_REPORT_BYTES = {"kernels": 125 << 20, "steps": 161 << 20}
STRETCH = "from_ns=0&to_ns=50000000"
ASKED = ["report", f"report?{STRETCH}", "section/kernels", "section/operators", "rules"]
ASKED += ["section/distributed", "table/slices?limit=1000", "table/steps?limit=1000", "samples"]
ASKED += ["timeline/tree", "timeline/view?width=2000", "timeline/statistics", "series"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with a run of many kernels, one of many steps, a small one, and one whose view
    fills every pixel."""
    folder = tmp_path_factory.mktemp("runs")
    make_trained(folder / "kernels", 2000, 100)
    make_trained(folder / "steps", 400_000, 0)
    make_trained(folder / "small", 50, 4)
    make_dense(folder / "dense", 70, WIDTH)
    return folder


@pytest.fixture
def server(runs):
    server = Server(runs)
    yield server
    server.end()


def printed(*words):
    line = [executable(), "report", *words, "--json"]
    return json.loads(subprocess.run(line, check=True, capture_output=True, timeout=LIMIT_S).stdout)


# A process of its own: a child begins with the memory of the one that starts it.
PEAK = """
import os, resource, subprocess, sys
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def peak_bytes(run):
    """Of the command's report on one core: with more, sections are made side by side."""
    line = [sys.executable, "-c", PEAK, executable(), "report", str(run), "--json"]
    return int(subprocess.run(line, check=True, capture_output=True, timeout=LIMIT_S).stdout)


def gone(pid):
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                time.sleep(0.02)
                continue
        return True
    return False


def test_the_server_stays_small_with_all_asked_at_once(server):
    paths = [f"{run}/{what}" for run in ("kernels", "steps") for what in ASKED]
    paths += ["kernels/compare/steps", ""]
    with concurrent.futures.ThreadPoolExecutor(6) as clients:
        answers = dict(zip(paths, clients.map(server.ask, paths)))
    assert {path: status for path, (status, _) in answers.items() if status != 200} == {}
    assert json.loads(answers["kernels/report"][1])["steps"]["count"] == 2000
    assert json.loads(answers[f"kernels/report?{STRETCH}"][1])["steps"]["count"] == 50
    assert json.loads(answers["steps/report"][1])["steps"]["count"] == 400_000
    assert server.most_bytes() < MOST_BYTES


def test_views_that_fill_every_pixel_stay_small_and_are_bounded(server):
    def view(tracks):
        numbers = ",".join(str(1 + number) for number in range(tracks))
        return f"dense/timeline/view?width={WIDTH}&from_ns=0&to_ns={WIDTH * 1000}&tracks={numbers}"

    most = MOST_VIEW_ROWS // WIDTH
    with concurrent.futures.ThreadPoolExecutor(6) as clients:
        answers = list(clients.map(server.ask, [view(most)] * 12))
    for status, body in answers:
        assert status == 200
        assert pa.ipc.open_stream(body).read_all().num_rows == most * WIDTH
    status, body = server.ask(view(most + 1))
    assert status == 413
    assert json.loads(body)["error"]["next_step"].startswith("ask for fewer tracks")
    assert server.most_bytes() < MOST_VIEW_BYTES


def test_what_is_answered_is_what_the_command_prints(server, runs):
    for run in ("kernels", "small"):
        assert json.loads(server.ask(f"{run}/report")[1]) == printed(str(runs / run))
        section = json.loads(server.ask(f"{run}/section/kernels?top=3")[1])
        assert section == printed(str(runs / run), "--section", "kernels", "--top", "3")
    assert len(server.children()) == 1, "one for all that was asked of large runs"


@pytest.mark.parametrize("run", MOST_REPORT_BYTES)
def test_a_report_of_a_large_run_stays_small(runs, run):
    assert peak_bytes(runs / run) < MOST_REPORT_BYTES[run]


def test_the_settings_stay_those_with_which_the_server_began(runs, tmp_path):
    settings = tmp_path / "steptrace.toml"
    settings.write_text("price_per_hour = 30.0\n")
    server = Server(runs, tmp_path)
    settings.write_text("no settings any more")
    status, body = server.ask("kernels/report")
    server.end()
    assert status == 200
    assert json.loads(body) == printed(str(runs / "kernels"), "--price-per-hour", "30")
    assert json.loads(body) != printed(str(runs / "kernels"))


def test_a_helper_that_is_killed_is_told_and_another_takes_its_place(server):
    assert server.ask("kernels/report")[0] == 200
    (helper,) = server.children()
    with concurrent.futures.ThreadPoolExecutor(1) as client:
        asked = client.submit(server.ask, "steps/report")
        time.sleep(0.1)
        os.kill(helper, signal.SIGKILL)
        status, body = asked.result(LIMIT_S)
    if status != 200:  # it was at work already
        assert status == 500
        assert "signal 9" in json.loads(body)["error"]["cause"]
    assert server.ask("steps/report")[0] == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_with_the_server_its_helper_ends(runs, number):
    server = Server(runs)
    with server.connect() as connection:
        connection.request("GET", "/api/runs/steps/report")
        until = time.monotonic() + LIMIT_S
        while not server.children() and time.monotonic() < until:
            time.sleep(0.01)
        (helper,) = server.children()
        server.process.send_signal(number)
        server.process.wait(LIMIT_S)
    server.end()
    assert gone(helper)
