# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: UP031  (the braces of JSON)
"""Profiles that are large in one dimension: each function makes one of size n, as files by name."""

import io
import json
import tarfile

DIMENSIONS = {}


def dimension(size):
    """`size` of the smaller of two that are compared: a quadratic term shows at four times that."""

    def keep(make):
        DIMENSIONS[make.__name__] = (size, make)
        return make

    return keep


def event(**fields):
    return json.dumps(
        {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1, **fields}
    )


def kernel(i, **fields):
    fields = {
        "cat": "kernel",
        "name": "k",
        "pid": 0,
        "tid": 7,
        "ts": i * 10 + 5,
        "dur": 4,
        **fields,
    }
    return event(args={"device": 0, "stream": fields["tid"], "correlation": i}, **fields)


def launch(i, name="cudaLaunchKernel"):
    return event(cat="cuda_runtime", name=name, ts=i * 10, dur=5, args={"correlation": i})


def step(i, **fields):
    return event(cat="user_annotation", name=f"ProfilerStep#{i}", **fields)


def profile(events, beside='"schemaVersion":1'):
    return {"in.json": "{%s,\n%s}" % (beside, '"traceEvents":[' + ",\n".join(events) + "]")}


def numbered(n):
    return "{" + ",".join(f'"k{i}":{i}' for i in range(n)) + "}"


# Keys.


@dimension(20_000)
def keys_of_arguments(n):
    return profile(['{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1,"args":%s}' % numbered(n)])


@dimension(20_000)
def keys_that_stand_twice(n):
    keys = ",".join(f'"k{i % (n // 2)}":{i}' for i in range(n))
    return profile(['{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1,"args":{%s}}' % keys])


@dimension(20_000)
def keys_of_events(n):
    return profile(['{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1,%s' % numbered(n)[1:]])


@dimension(20_000)
def keys_of_device_properties(n):
    return profile([event()], '"deviceProperties":[%s]' % numbered(n))


@dimension(20_000)
def keys_of_distributed_info(n):
    return profile([event()], '"distributedInfo":%s' % numbered(n))


@dimension(20_000)
def keys_beside_the_events(n):
    return profile([event()], '"schemaVersion":1,' + numbered(n)[1:-1])


@dimension(5_000)
def devices_of_device_properties(n):
    devices = ",".join('{"id":%d,"name":"GPU"}' % i for i in range(n))
    return profile([event()], '"deviceProperties":[%s]' % devices)


@dimension(5_000)
def groups_of_distributed_info(n):
    groups = ",".join('{"pg_name":"%d","ranks":[0,1]}' % i for i in range(n))
    return profile(
        [event()], '"distributedInfo":{"rank":0,"world_size":2,"pg_config":[%s]}' % groups
    )


# Events and their texts.


@dimension(20_000)
def events(n):
    return profile([event(ts=i * 2) for i in range(n)])


@dimension(20_000)
def the_same_event(n):
    return profile([event()] * n)


@dimension(10_000)
def names(n):
    return profile([event(name=f"n{i}", ts=i * 2) for i in range(n)])


@dimension(5_000)
def categories(n):
    return profile([event(cat=f"category_{i:08}", ts=i * 2) for i in range(n)])


@dimension(10_000)
def shapes(n):
    args = ({"Input Dims": [[i, 2], [2, 3]], "External id": i} for i in range(n))
    return profile([event(name="aten::mm", ts=i * 10, args=a) for i, a in enumerate(args)])


@dimension(10_000)
def metadata(n):
    labels = [event(ph="M", name="process_labels", args={"labels": str(i)}) for i in range(n)]
    return profile([event(), *labels])


@dimension(20_000)
def nesting(n):
    return profile([event(ts=i, dur=2 * (n - i)) for i in range(n)])


@dimension(10_000)
def nesting_of_python(n):
    call = {"cat": "python_function"}
    return profile([event(name=f"f{i}", ts=i, dur=2 * (n - i), **call) for i in range(n)])


@dimension(10_000)
def nesting_on_a_device(n):
    return profile([kernel(i, ts=i, dur=2 * (n - i)) for i in range(n)])


@dimension(10_000)
def open_ranges(n):
    begins = [event(ph="B", ts=i) for i in range(n)]
    return profile(begins + [event(ph="E", ts=n + i) for i in range(n)])


@dimension(10_000)
def asynchronous_ranges(n):
    begins = [event(ph="b", id=i, ts=i) for i in range(n)]
    return profile(begins + [event(ph="e", id=i, ts=n + i) for i in range(n)])


@dimension(10_000)
def flows(n):
    ends = ("s", "f")
    return profile(
        [event(ph=p, id=i, ts=i * 10, cat="fwdbwd") for i in range(n) for p in ("X", *ends)]
    )


@dimension(10_000)
def flows_of_one_moment(n):
    return profile([event(), *(event(ph="s", id=i, cat="fwdbwd") for i in range(n))])


@dimension(20)
def lists_that_are_not_closed(n):
    broken = '{"ph":"X","name":"x","pid":1,"tid":1,"ts":3,"dur":1,"args":{"Input Dims":[[1,2],[3'
    return profile([broken if i % 500 == 0 else event(ts=i) for i in range(500 * n)])


@dimension(1_000)
def deep_values(n):
    value = "[" * 200 + "]" * 200
    return profile(
        ['{"ph":"X","name":"b","pid":1,"tid":1,"ts":5,"dur":1,"args":{"a":%s}}' % value] * n
    )


# Tracks.


@dimension(4_000)
def threads(n):
    names = [event(ph="M", name="thread_name", tid=i, args={"name": f"T{i}"}) for i in range(n)]
    return profile([event(tid=i, ts=i) for i in range(n)] + names)


@dimension(4_000)
def processes(n):
    return profile([event(pid=i + 1, ts=i) for i in range(n)])


@dimension(4_000)
def streams(n):
    return profile([e for i in range(n) for e in (launch(i), kernel(i, tid=i, dur=n))])


@dimension(8_000)
def devices(n):
    return profile([kernel(i, pid=i) for i in range(n)])


@dimension(4_000)
def counters(n):
    return profile([event(), *(event(ph="C", name=f"c{i}", ts=i, args={"v": 1}) for i in range(n))])


@dimension(1_000)
def series_of_a_counter_with_a_long_name(n):
    series = {f"k{i}": 1 for i in range(n)}
    return profile([event(), event(ph="C", name="c" * 100 * n, args=series)])


@dimension(10_000)
def memory(n):
    def record(i):
        bytes_ = 64 if i % 3 else -64
        args = {
            "Bytes": bytes_,
            "Addr": 64 * (i // 3),
            "Device Type": 1,
            "Device Id": 0,
            "Total Allocated": 64,
        }
        return event(ph="i", name="[memory]", ts=i, args=args)

    return profile([event(), *map(record, range(n))])


# What the report is about.


@dimension(4_000)
def steps(n):
    kinds = [(step(i, ts=i * 10, dur=9), launch(i), kernel(i)) for i in range(n)]
    return profile([e for of_step in kinds for e in of_step])


@dimension(4_000)
def steps_within_steps(n):
    return profile([step(i, ts=i, dur=4 * n - 2 * i) for i in range(n)])


@dimension(10_000)
def correlations(n):
    return profile([e for i in range(n) for e in (launch(i), kernel(i))])


@dimension(10_000)
def correlations_of_one_bucket(n):
    """Of a table of the standard library: its sizes are primes that anybody knows."""
    ids = [i * 107_897 * 218_971 * 26_267 for i in range(n)]
    pairs = [(launch(i), kernel(i)) for i in range(n)]
    texts = [
        e.replace(f'"correlation": {i}', f'"correlation": {ids[i]}')
        for i, p in enumerate(pairs)
        for e in p
    ]
    return profile([step(1, ts=0, dur=10 * n + 10), *texts])


@dimension(4_000)
def waits_for_streams(n):
    of_one = [
        (launch(2 * i), kernel(2 * i, tid=7 + i % 8), launch(2 * i + 1, "cudaStreamSynchronize"))
        for i in range(n)
    ]
    return profile([e for of_wait in of_one for e in of_wait])


def collective(i, group=0):
    args = {
        "Collective name": "allreduce",
        "Process Group Name": str(group),
        "Process Group Ranks": "[0, 1]",
    }
    args |= {
        "Group size": 2,
        "In msg nelems": 64,
        "dtype": "Float",
        "Seq": i,
        "device": 0,
        "stream": 7,
    }
    return event(
        cat="kernel", name="ncclDevKernel_AllReduce", pid=0, tid=7, ts=i * 10, dur=5, args=args
    )


def ranks_of(count, events_of):
    info = '"schemaVersion":1,"distributedInfo":{"rank":%d,"world_size":%d}'
    files = {f"rank{r}.json": profile(events_of(r), info % (r, count)) for r in range(count)}
    return {name: file["in.json"] for name, file in files.items()}


@dimension(4_000)
def collectives(n):
    return ranks_of(2, lambda _: [collective(i) for i in range(n)])


@dimension(2_000)
def collectives_of_groups(n):
    return ranks_of(2, lambda _: [collective(i, group=i) for i in range(n)])


@dimension(60)
def ranks(n):
    return ranks_of(n, lambda _: [event(), step(1, dur=5), collective(1)])


@dimension(2_000)
def modules(n):
    def module(i):
        ids = {"Python id": i, "Python parent id": i - 1, "Python module id": i}
        python = {"cat": "python_function", "ts": i * 100, "dur": 90, "args": ids}
        return event(name=f"nn.Module: Linear_{i}", **python), event(ts=i * 100 + 5, dur=50)

    return profile([e for i in range(n) for e in module(i)])


# Files.


@dimension(60)
def files(n):
    base = '"schemaVersion":1,"baseTimeNanoseconds":%d'
    return {f"t{i}.json": profile([event(ts=i)], base % (10**18 + i))["in.json"] for i in range(n)}


@dimension(60)
def the_same_file(n):
    return {f"t{i}.json": profile([event()])["in.json"] for i in range(n)}


def tar_of(members):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz", compresslevel=1) as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return {"in.tar.gz": archive.getvalue()}


@dimension(60)
def members_that_are_read_twice(n):
    return tar_of({f"t{i}.pftrace": perfetto_trace(200, i) for i in range(n)})


# Perfetto.


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    """Of a message: bytes or a number."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def packet(*fields):
    return field(1, field(10, 1) + b"".join(fields))


def track(uuid, name):
    return packet(field(60, field(1, uuid) + field(2, name)))


def slice_on(uuid, ts, *fields):
    begin = field(11, field(9, 1) + field(11, uuid) + b"".join(fields))
    end = field(11, field(9, 2) + field(11, uuid))
    return packet(field(8, ts), begin) + packet(field(8, ts + 1), end)


def perfetto_trace(n, first_ns):
    slices = (slice_on(1, first_ns + 2 * i, field(23, "a")) for i in range(1, n))
    return track(1, "main") + b"".join(slices)


@dimension(5_000)
def packets(n):
    return {"in.pftrace": perfetto_trace(n, 1)}


@dimension(5_000)
def tracks_below_one_with_a_long_name(n):
    child = (packet(field(60, field(1, i) + field(2, f"c{i}") + field(5, 1))) for i in range(2, n))
    slices = (slice_on(i, 2 * i, field(23, "a")) for i in range(2, n))
    return {"in.pftrace": track(1, "p" * 10 * n) + b"".join(child) + b"".join(slices)}


@dimension(5_000)
def interned_names(n):
    texts = (packet(field(12, field(2, field(1, i) + field(2, f"n{i}")))) for i in range(1, n))
    slices = (slice_on(1, 2 * i, field(10, i)) for i in range(1, n))
    return {"in.pftrace": track(1, "main") + b"".join(texts) + b"".join(slices)}


@dimension(5_000)
def numbers_of_one_bucket(n):
    texts = (
        packet(field(12, field(2, field(1, i * 107_897 * 26_267) + field(2, "n"))))
        for i in range(1, n)
    )
    return {"in.pftrace": perfetto_trace(10, 1) + b"".join(texts)}


@dimension(200)
def clocks_that_nothing_joins(n):
    clock = b"".join(field(1, field(1, 128 + i) + field(2, 5)) for i in range(200))
    events = (
        packet(field(8, i), field(58, 200), field(11, field(9, 3) + field(23, "a")))
        for i in range(n)
    )
    return {"in.pftrace": perfetto_trace(10, 1) + packet(field(6, clock)) + b"".join(events)}


# SageMaker Debugger.

SAMPLE = '{"Type":"cpu","Name":"%s","Dimension":"CPUUtilization","Value":5,"NodeId":"%s","Timestamp":%d}\n'


@dimension(5_000)
def samples_of_a_late_core(n):
    lines = "".join(SAMPLE % ("cpu3", "algo-1", 1_600_000_000 + i) for i in range(n))
    return {"1.algo-1.json": SAMPLE % ("cpu65000", "algo-1", 1_600_000_000) + lines}


@dimension(400)
def sampled_gpus(n):
    sample = SAMPLE.replace("cpu", "gpu").replace("CPU", "GPU")
    times = range(1_600_000_000, 1_600_000_130)  # as many as the rules want of each
    return {
        "1.algo-1.json": "".join(sample % (f"gpu{i}", "algo-1", t) for t in times for i in range(n))
    }


@dimension(4_000)
def gpus_sampled_at_other_times(n):
    sample = SAMPLE.replace("cpu", "gpu").replace("CPU", "GPU")
    lines = (sample % (f"gpu{i}", "algo-1", 1_600_000_000 + i) for i in range(n))
    return {"1.algo-1.json": "".join(lines)}


@dimension(60)
def files_of_one_size(n):
    return {
        f"{i}.algo-1.json": SAMPLE % ("cpu3", "algo-1", 1_600_000_000 + i) * 50 for i in range(n)
    }


@dimension(2_000)
def events_on_a_line_with_a_long_name(n):
    base = {"start_time_since_epoch_in_micros": 1_600_000_000_000_000}
    name = event(ph="M", name="process_name", args={"name": "l" * 100 * n, **base})
    return {
        "1_1-algo-1_pythontimeline.json": "[\n"
        + ",\n".join([name, *(event(ts=i) for i in range(n))])
        + "]"
    }
