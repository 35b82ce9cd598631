# SPDX-License-Identifier: Apache-2.0
"""A time range of a run as lines of slices: a track has a line for each depth of nesting. Above those of a
live run's training thread stands what the loop was in."""

import collections
import heapq

from ._colours import COLOURS, MANY
from ._executable import SteptraceError
from ._figure import bare_axes, columns, new_figure, nothing, short, steps_of_rank
from ._phases import PHASE_COLOURS, phase_lane, phase_of

_MS = 1e6
_PIXELS = 2000  # of the figure's width: what is shorter than one is drawn as one, the longest of it
_MOST_SLICES = 200_000  # read at a time
_MOST_LINES = 60
_STEPS = 3  # when nobody asks for a time range
_LETTERS = 110  # that fit the width
_TRACK = ["track", "kind", "rank", "tid", "device", "stream", "name"]
_SLICE = ["ts_ns", "dur_ns", "track", "depth", "name", "category"]
_QUIET = COLOURS["other"]


def _usual_range(run):
    """Some steps from the middle of the lowest rank's training: (from_ns, to_ns, what it is)."""
    steps = steps_of_rank(run)
    if not steps:
        return 0, max(1, run.report()["run"]["duration_ns"]), "the whole run"
    begin = max(0, (len(steps) - _STEPS) // 2)
    chosen = steps[begin : begin + _STEPS]
    numbers = f"step {chosen[0][0]}"
    if len(chosen) > 1:
        numbers = f"steps {chosen[0][0]} to {chosen[-1][0]}"
    return chosen[0][1], chosen[-1][1] + chosen[-1][2], numbers


def _slices(run, from_ns, to_ns):
    """Slices that lie in the time range, by begin, as tuples; and whether there are more of them."""
    pixel = max(1, (to_ns - from_ns) // _PIXELS)
    # Of those that began before, what is shorter than a pixel reaches no further into it. All that
    # came before are looked at, and only those that reach into it are kept.
    around = []
    for row in run.rows("slices", _SLICE, f"ts_ns < {from_ns} and dur_ns >= {pixel}"):
        if row["ts_ns"] + row["dur_ns"] > from_ns and len(around) <= _MOST_SLICES:
            around.append(tuple(row[name] for name in _SLICE))
    within = f"ts_ns >= {from_ns} and ts_ns < {to_ns}"
    rows = columns(run, "slices", _SLICE, within, _MOST_SLICES + 1)
    inside = list(zip(*(rows[name] for name in _SLICE)))
    more = len(around) > _MOST_SLICES or len(inside) > _MOST_SLICES
    found = around[:_MOST_SLICES] + inside[:_MOST_SLICES]
    return sorted(found, key=lambda one: (one[0], -one[1])), more


def _lanes(slices, streams):
    """Slices by line, (track, lane). On a stream what overlaps without nesting gets the next free one."""
    lines, busy, free = {}, {}, {}
    for ts_ns, dur_ns, track, depth, name, _ in slices:
        lane = depth
        if track in streams:
            ends, lanes = busy.setdefault(track, []), free.setdefault(track, [])
            while ends and ends[0][0] <= ts_ns:
                heapq.heappush(lanes, heapq.heappop(ends)[1])
            lane = heapq.heappop(lanes) if lanes else len(ends)
            heapq.heappush(ends, (ts_ns + dur_ns, lane))
        lines.setdefault((track, lane), []).append((ts_ns, dur_ns, name))
    return lines


def _chosen(lines):
    """As many depths of each track as fit: all tracks are seen before any is seen to its depth."""
    depth, count = 0, 0
    for lane, tracks in sorted(collections.Counter(lane for _, lane in lines).items()):
        count += tracks
        if lane > 0 and count > _MOST_LINES:
            break
        depth = lane
    return [line for line in lines if line[1] <= depth]


def _drawn(line, from_ns, to_ns):
    """(begin, length, name) of what is to be seen; of those within a pixel the longest, a pixel wide."""
    pixel = max(1, (to_ns - from_ns) // _PIXELS)
    seen, small = [], {}
    for ts_ns, dur_ns, name in line:
        if dur_ns >= pixel:
            begin, end = max(ts_ns, from_ns), min(ts_ns + dur_ns, to_ns)
            seen.append((begin, end - begin, name))
            continue
        at = (ts_ns - from_ns) // pixel
        if at not in small or dur_ns > small[at][0]:
            small[at] = (dur_ns, name)
    seen += [(from_ns + at * pixel, pixel, name) for at, (_, name) in small.items()]
    return seen


def _colours_of(slices):
    """The names with most own time, without what is nested in them, have a colour each; a phase has its own."""
    times, open_ones = {}, {}
    for ts_ns, dur_ns, track, depth, name, _ in slices:
        around = open_ones.setdefault(track, {})
        around[depth] = (name, ts_ns + dur_ns)
        times[name] = times.get(name, 0) + dur_ns
        outer = around.get(depth - 1)
        if outer and outer[1] > ts_ns:
            times[outer[0]] -= dur_ns
    others = times.keys() - PHASE_COLOURS.keys()
    most = sorted(others, key=lambda name: (-times[name], name))[: len(MANY)]
    phases = {name: colour for name, colour in PHASE_COLOURS.items() if name in times}
    return {**phases, **dict(zip(most, MANY))}


def _label(track, many_ranks):
    text = track["name"] or track["kind"]
    if track["kind"] == "stream":
        text = f"device {track['device']}, stream {track['stream']}"
    elif track["tid"] is not None and str(track["tid"]) not in text:
        text += f" {track['tid']}"
    return short(f"rank {track['rank']}: {text}" if many_ranks else text)


def _phases(run, slices, tracks, from_ns, to_ns):
    """What each rank's training loop is in: {rank: line}."""
    ranges, trains = {}, set()
    for ts_ns, dur_ns, track, _, name, category in slices:
        phase = phase_of(category, name)
        if phase:
            ranges.setdefault(track, []).append((ts_ns, ts_ns + dur_ns, phase))
        if phase in ("backward", "optimizer"):
            trains.add(track)
    if not trains:
        return {}
    wanted = ["rank", "kind", "ts_ns", "dur_ns"]
    rows = columns(run, "steps", wanted, f"ts_ns < {to_ns}")
    steps, evaluations = {}, {}
    for rank, kind, ts_ns, dur_ns in zip(*(rows[name] for name in wanted)):
        if ts_ns + dur_ns > from_ns:
            kept = evaluations if kind == "eval" else steps
            kept.setdefault(rank, []).append((ts_ns, ts_ns + dur_ns))
    lines = {}
    for track in trains:
        rank = tracks[track]["rank"]
        parts = phase_lane(steps.get(rank, ()), ranges[track], evaluations.get(rank, ()))
        if parts:
            lines.setdefault(rank, []).extend(parts)
    return lines


def _draw_line(axes, place, line, colours, time_range):
    from_ns, to_ns = time_range
    drawn = _drawn(line, from_ns, to_ns)
    spans = [((begin - from_ns) / _MS, length / _MS) for begin, length, _ in drawn]
    axes.broken_barh(
        spans, (place - 0.42, 0.84), facecolors=[colours.get(n, _QUIET) for _, _, n in drawn]
    )
    for (begin, length), (_, length_ns, name) in zip(spans, drawn):
        letters = int(_LETTERS * length_ns / (to_ns - from_ns))
        if letters < 4:
            continue
        text = short(name, letters)
        axes.text(begin + length / 2, place, text, fontsize=6, ha="center", va="center")


def _steps_above(axes, run, time_range):
    """Where steps end, with their numbers."""
    from_ns, to_ns = time_range
    inside = [s for s in steps_of_rank(run) if s[1] < to_ns and s[1] + s[2] > from_ns]
    for number, ts_ns, dur_ns in inside if len(inside) <= 40 else []:
        if ts_ns >= from_ns:
            axes.axvline((ts_ns - from_ns) / _MS, color="#5A6069", linewidth=0.6, linestyle=":")
        middle = (max(ts_ns, from_ns) + min(ts_ns + dur_ns, to_ns)) / 2
        axes.text((middle - from_ns) / _MS, -0.8, f"step {number}", fontsize=6, ha="center")


def _labelled(shown, tracks, phases, colours):
    """(label, line, colours) of all lines: the phases of a rank, then its tracks."""
    many_ranks = len({tracks[track]["rank"] for track, _ in shown}) > 1
    drawn, before, with_phases = [], None, set()
    for (track, _), line in shown.items():
        rank = tracks[track]["rank"]
        if rank in phases and rank not in with_phases:
            with_phases.add(rank)
            label = f"rank {rank}: phases" if many_ranks else "phases"
            drawn.append((label, phases[rank], PHASE_COLOURS))
        label = "" if track == before else _label(tracks[track], many_ranks)
        drawn.append((label, line, colours))
        before = track
    return drawn


def draw(run, from_ns=None, to_ns=None):
    """The figure; without a time range some steps from the middle of the training."""
    if (from_ns is None) != (to_ns is None):
        raise SteptraceError(
            "timeline: a time range has both ends; give from_ns and to_ns, or none"
        )
    if from_ns is None:
        from_ns, to_ns, what = _usual_range(run)
    else:
        from_ns, to_ns, what = int(from_ns), int(to_ns), "the selected time range"
    if to_ns <= from_ns:
        raise SteptraceError("timeline: to_ns is not after from_ns; give ns since the run's begin")
    slices, more = _slices(run, from_ns, to_ns)
    if not slices:
        return nothing("Timeline", f"No slices lie in {what} ({from_ns} to {to_ns} ns).")
    rows = columns(run, "tracks", _TRACK)
    tracks = {values[0]: dict(zip(_TRACK, values)) for values in zip(*(rows[n] for n in _TRACK))}
    for number in {one[2] for one in slices} - tracks.keys():  # of a run whose tracks are damaged
        unknown = {name: None for name in _TRACK}
        tracks[number] = {**unknown, "kind": f"track {number}", "rank": -1}
    lines = _lanes(slices, {number for number, t in tracks.items() if t["kind"] == "stream"})
    order = sorted(_chosen(lines), key=lambda line: (tracks[line[0]]["rank"], *line))
    shown = {line: lines[line] for line in order[:_MOST_LINES]}
    title = f"Timeline: {what}, from {from_ns / 1e9:.6g} s of the run"
    if len(lines) > len(shown):
        title += f"; {len(lines) - len(shown)} lines are not shown, the deepest first"
    if more:
        title += f"; only the first {_MOST_SLICES:,} slices: select a shorter time range"
    phases = _phases(run, slices, tracks, from_ns, to_ns)
    colours = _colours_of(slices)
    drawn = _labelled(shown, tracks, phases, colours)
    figure = new_figure(len(drawn) + 2, width=11.0)
    axes = bare_axes(figure, title)
    for place, (_, line, line_colours) in enumerate(drawn):
        _draw_line(axes, place, line, line_colours, (from_ns, to_ns))
    axes.set_yticks(range(len(drawn)), labels=[label for label, _, _ in drawn], fontsize=8)
    axes.set_xlim(0, (to_ns - from_ns) / _MS)
    axes.set_ylim(len(drawn) - 0.4, -1.2)
    axes.set_xlabel("ms")
    _steps_above(axes, run, (from_ns, to_ns))
    from matplotlib.patches import Patch

    seen = {phase for line in phases.values() for _, _, phase in line}
    keys = [Patch(color=c, label=p) for p, c in PHASE_COLOURS.items() if p in seen]
    keys += [Patch(color=c, label=short(n)) for n, c in colours.items() if n not in seen]
    figure.legend(handles=keys, frameon=False, fontsize=7, ncols=4, loc="outside lower left")
    return figure
