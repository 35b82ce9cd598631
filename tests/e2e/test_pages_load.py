# SPDX-License-Identifier: Apache-2.0
"""The pages' server at its limits: a run of a million tracks, and a hundred clients at once."""

import io
import json
import socket
import threading

import pyarrow as pa
import pytest
from made_runs import make_many_tracks
from pages_server import LIMIT_S, Server

TRACKS = 1_000_000
MOST_BYTES = 512 << 20


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with the run `many`."""
    folder = tmp_path_factory.mktemp("runs")
    make_many_tracks(folder / "many", TRACKS)
    return folder


@pytest.fixture(scope="module")
def server(runs):
    server = Server(runs)
    yield server
    server.process.terminate()
    server.process.wait(LIMIT_S)


def rows(body):
    return pa.ipc.open_stream(io.BytesIO(body)).read_all().to_pylist()


def test_a_run_of_a_million_tracks_opens(server):
    status, body = server.ask("many/timeline/tree")
    assert status == 200
    tree = json.loads(body)
    assert len(tree["tracks"]) + tree["left_out"] == TRACKS + 1
    assert len(body) < 64 << 20, "what a browser can take"
    status, body = server.ask("many/timeline/search?q=NEEDLE")
    found = json.loads(body)
    assert (status, found["total"]) == (200, 1)
    assert found["matches"][0]["track"] == TRACKS, "also on a track that the tree leaves out"
    status, body = server.ask(f"many/timeline/view?tracks=1,500000,{TRACKS}&width=1000")
    assert status == 200
    assert [row["track"] for row in rows(body)] == [1, 500_000, TRACKS]
    status, body = server.ask("many/timeline/view?width=1000")
    assert status == 413, "all at once is nothing that a screen could show"
    status, body = server.ask("many/timeline/statistics")
    assert status == 200
    assert {row["name"]: row["count"] for row in rows(body)} == {"op": TRACKS - 1, "needle": 1}
    assert server.most_bytes() < MOST_BYTES


def test_a_hundred_clients_are_answered_some_of_them_slow(server):
    slow = []
    for _ in range(30):
        # The tree is megabytes: what they do not take waits for them.
        peer = socket.create_connection(("127.0.0.1", server.port))
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.sendall(b"GET /api/runs/many/timeline/tree HTTP/1.1\r\nHost: localhost\r\n\r\n")
        slow.append(peer)
    answers = {}

    def client(number):
        first = 1 + number * 5000
        tracks = ",".join(str(first + i) for i in range(100))
        paths = [f"timeline/view?tracks={tracks}&width=1920", "timeline/search?q=needle"]
        answers[number] = [server.ask("many/" + path) for path in paths]

    clients = [threading.Thread(target=client, args=[number]) for number in range(70)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join(LIMIT_S)
    assert len(answers) == 70
    for number, ((view_status, view), (search_status, search)) in answers.items():
        assert (view_status, search_status) == (200, 200), number
        assert len(rows(view)) == 100
        assert json.loads(search)["total"] == 1
    assert server.most_bytes() < MOST_BYTES
    # Who was slow gets the whole of it nevertheless, or was let go of; the server lives.
    for peer in slow:
        peer.close()
    assert server.ask("many/timeline/search?q=needle")[0] == 200
