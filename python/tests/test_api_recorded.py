# SPDX-License-Identifier: Apache-2.0
"""The script's API under a run: what it tells the probe (fake_probe.py, which holds it to rules)."""

import json
import subprocess
import sys
import textwrap

import hooked
import pytest

USER, PHASE = 1, 2
NO_ARGUMENT = (1 << 64) - 1


@pytest.fixture()
def told(tmp_path):
    """Runs a script; gives what its main thread said as (kind, name) and the finished run."""

    def run(script, **environment):
        file = tmp_path / "script.py"
        package = str(hooked.PACKAGE.parent)
        file.write_text(f"import sys; sys.path.append({package!r})\n" + textwrap.dedent(script))
        folder = tmp_path / "said"
        done = subprocess.run(
            [sys.executable, str(file)],
            capture_output=True,
            text=True,
            timeout=60,
            env=hooked.environment(folder, STEPTRACE_HOOKS="off", **environment),
            check=False,
        )
        finished = hooked.Run(done, folder).check()
        finished.ranges = [
            (r.kind, r.name) for r in finished.records if r.kind in ("begin", "end", "instant")
        ]
        return finished

    return run


def test_ranges_nest_and_end_when_they_raise(told):
    run = told(
        """
        from steptrace import annotate
        with annotate("outer"):
            try:
                with annotate("inner"):
                    raise ValueError
            except ValueError:
                pass
        """
    )
    assert run.ranges == [
        ("begin", "outer"),
        ("begin", "inner"),
        ("end", "inner"),
        ("end", "outer"),
    ]
    assert {r.category for r in run.records if r.kind == "begin"} == {USER}


def test_a_decorated_function_keeps_its_face(told):
    run = told(
        """
        import inspect, json
        from steptrace import annotate
        class Model:
            @annotate
            def forward(self, x: int = 2) -> int:
                "Doubles."
                return 2 * x
            @staticmethod
            @annotate("static")
            def static(): return 1
            @annotate("wrapped")
            @classmethod
            def wrapped(cls): return cls.__name__
        f = Model.forward
        print(json.dumps([Model().forward(4), f.__name__, f.__doc__, str(inspect.signature(f)),
                          Model.static(), Model.wrapped()]))
        """
    )
    assert run.said == [8, "forward", "Doubles.", "(self, x: int = 2) -> int", 1, "Model"]
    assert [name for kind, name in run.ranges if kind == "begin"] == [
        "Model.forward",
        "static",
        "wrapped",
    ]


def test_a_generator_is_in_its_range_only_while_it_runs(told):
    run = told(
        """
        import json
        from steptrace import annotate
        @annotate("gen")
        def numbers():
            got = yield 1
            try:
                yield got
            except KeyError:
                yield "caught"
            return "end"
        def outer():
            return (yield from numbers())
        g = outer()
        said = [next(g)]
        with annotate("between"):
            pass
        said += [g.send("sent"), g.throw(KeyError())]
        try:
            next(g)
        except StopIteration as stop:
            said.append(stop.value)
        print(json.dumps(said))
        """
    )
    assert run.said == [1, "sent", "caught", "end"]
    begins = [name for kind, name in run.ranges if kind == "begin"]
    assert begins[:3] == ["gen", "between", "gen"]
    assert begins.count("between") == 1
    # Never one inside the other.
    for first, second in zip(run.ranges[::2], run.ranges[1::2]):
        assert (first[0], second[0]) == ("begin", "end") and first[1] == second[1]


def test_a_generator_that_is_left_is_closed(told):
    run = told(
        """
        import json
        from steptrace import annotate
        said = []
        @annotate("gen")
        def numbers():
            try:
                while True: yield 1
            finally:
                said.append("closed")
        for _ in numbers():
            break
        import gc; gc.collect()
        print(json.dumps(said))
        """
    )
    assert run.said == ["closed"]


def test_coroutines_that_take_turns_never_cross(told):
    run = told(
        """
        import asyncio, inspect, json
        from steptrace import annotate
        @annotate("a")
        async def a():
            for _ in range(3): await asyncio.sleep(0)
            return 1
        @annotate("b")
        async def b():
            for _ in range(3): await asyncio.sleep(0)
            raise KeyError("mine")
        @annotate("items")
        async def items():
            for i in range(3):
                await asyncio.sleep(0)
                yield i
        async def main():
            got = await asyncio.gather(a(), b(), return_exceptions=True)
            return [got[0], repr(got[1]), [i async for i in items()]]
        print(json.dumps([asyncio.run(main()), inspect.iscoroutinefunction(a),
                          inspect.isasyncgenfunction(items)]))
        """
    )
    assert run.said == [[1, "KeyError('mine')", [0, 1, 2]], True, True]
    open_ranges = 0
    for kind, _ in run.ranges:
        open_ranges += 1 if kind == "begin" else -1
        assert open_ranges in (0, 1)
    begins = [name for kind, name in run.ranges if kind == "begin"]
    assert {"a", "b", "items"} == set(begins)
    assert begins.count("a") >= 4


def test_a_cancelled_coroutine_is_cancelled(told):
    run = told(
        """
        import asyncio, json
        from steptrace import annotate
        said = []
        @annotate("sleeper")
        async def sleeper():
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                said.append("cancelled")
                raise
        async def main():
            task = asyncio.ensure_future(sleeper())
            await asyncio.sleep(0)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                said.append("passed on")
        asyncio.run(main())
        print(json.dumps(said))
        """
    )
    assert run.said == ["cancelled", "passed on"]


def test_ranges_by_id_end_in_any_order(told):
    run = told(
        """
        from steptrace import annotation_begin, annotation_end
        a, b = annotation_begin("a"), annotation_begin("b")
        annotation_end(a)
        annotation_end(a)
        annotation_end(4711)
        annotation_end(b)
        """
    )
    assert run.ranges == [
        ("begin", "a"),
        ("begin", "b"),
        ("end", "b"),
        ("end", "a"),
        ("begin", "b"),
        ("end", "b"),
    ]


def test_an_id_of_another_thread_is_passed_over(told):
    run = told(
        """
        import threading
        from steptrace import annotation_begin, annotation_end
        a = annotation_begin("a")
        t = threading.Thread(target=annotation_end, args=(a,)); t.start(); t.join()
        annotation_end(a)
        """
    )
    assert run.ranges == [("begin", "a"), ("end", "a")]


def test_steps_carry_their_number_or_none(told):
    run = told(
        """
        import steptrace
        steptrace.step(); steptrace.step(7); steptrace.step(-1); steptrace.step("x")
        steptrace.step(1 << 80); steptrace.step(3.0)
        """
    )
    steps = [r for r in run.records if r.name == "step"]
    assert [r.a for r in steps] == [NO_ARGUMENT, 7, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, 3]
    assert {(r.kind, r.category) for r in steps} == {("instant", PHASE)}


def test_names_without_end_cost_no_memory_without_end(told):
    run = told(
        """
        import json, steptrace
        from steptrace import _ranges
        for i in range(10000):
            with steptrace.annotate(f"step_{i}"): pass
        print(json.dumps(len(_ranges._cached)))
        """
    )
    assert 0 < run.said <= 4096
    assert len(run.ranges) == 20000


def test_start_and_stop_pause_the_probe(told):
    run = told(
        """
        import json, fake_probe, steptrace
        seen = []
        for act in (steptrace.stop, steptrace.start): act(); seen.append(fake_probe._paused)
        print(json.dumps(seen))
        """,
        PYTHONPATH=f"{hooked.TESTS / 'fake_site'}:{hooked.TESTS}",
    )
    assert run.said == [True, False]


def test_smppy_is_our_ranges(told):
    run = told(
        """
        from steptrace.compat import smppy
        profiler = smppy.SMProfiler.instance()
        profiler.configure(smppy.Config())
        profiler.start_profiling()
        with smppy.annotate("Forward"):
            step = smppy.annotation_begin("step_0")
            smppy.annotation_end(step)
        profiler.stop_profiling()
        """
    )
    assert [name for kind, name in run.ranges if kind == "begin"] == ["Forward", "step_0"]


def test_a_probe_that_is_broken_leaves_the_script_alone(tmp_path):
    broken = tmp_path / "_probe.abi3.so"
    broken.write_bytes(b"not a library")
    code = f"import sys; sys.path.append({str(hooked.PACKAGE.parent)!r})\nimport steptrace\n"
    code += "with steptrace.annotate('a'): steptrace.step()\nprint('{}')"
    environment = {"STEPTRACE_RING_DIR": str(tmp_path), "STEPTRACE_PROBE": str(broken)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=60, env=environment, check=True
    )
    assert json.loads(done.stdout) == {} and done.stderr == b""


def test_what_is_more_than_a_function_stays_what_it_is(told):
    run = told(
        """
        import enum, functools, json, types
        from steptrace import annotate
        class Model:
            def __call__(self): return 5
        @annotate("cached")
        @functools.lru_cache(None)
        def cached(x): return x
        model = Model()
        part = annotate("part")(functools.partial(max, 3))
        @annotate("awaited")
        @types.coroutine
        def awaited():
            yield
            return 9
        async def waits(): return await awaited()
        coroutine = waits(); coroutine.send(None)
        try: coroutine.send(None)
        except StopIteration as end: nine = end.value
        print(json.dumps([annotate("m")(model) is model, annotate(model) is model, cached(2),
                          cached.cache_info().misses, part(4), type(part).__name__,
                          part.args, nine]))
        """
    )
    assert run.said == [True, True, 2, 1, 4, "partial", [3], 9]
    assert {name for kind, name in run.ranges if kind == "begin"} == {"part", "awaited"}


def test_names_of_other_types_are_names(told):
    run = told(
        """
        import enum, json, steptrace
        from steptrace import annotate
        class Phase(str, enum.Enum):
            A = "forward"
        class Mine(str):
            def __hash__(self): raise TypeError
        for name in (Phase.A, Mine("mine"), 5, None, b"raw", "\\x1b[2J", "\\udcff"):
            with annotate(name): pass
        print(json.dumps(sorted({type(name).__name__ for name in steptrace._ranges._cached})))
        """
    )
    assert run.said == ["str"]
    names = [name for kind, name in run.ranges if kind == "begin"]
    assert names == ["forward", "mine", "5", "None", "b'raw'", "\x1b[2J", "\udcff"]


def test_a_step_number_that_cannot_be_one_is_none(told):
    run = told(
        """
        import steptrace
        class Tensor:
            def __int__(self): raise RuntimeError("a Tensor with 2 elements")
        steptrace.step(Tensor()); steptrace.step(float("nan")); steptrace.step(float("inf"))
        """
    )
    assert [r.a for r in run.records if r.name == "step"] == [NO_ARGUMENT] * 3


def test_nothing_is_held_that_the_script_let_go(told):
    """A yielded batch, a sent value and an exception thrown in, without the collector's help."""
    run = told(
        """
        import asyncio, gc, json, weakref
        gc.disable()
        from steptrace import annotate
        class Batch: pass
        alive = []
        @annotate("batches")
        def batches():
            last = None
            for _ in range(3):
                alive.append(last is not None and last() is not None)
                batch = Batch()
                last = weakref.ref(batch)
                box = [batch]
                del batch
                yield box.pop()
        for batch in batches(): del batch
        class Mine(Exception): pass
        @annotate("thrown")
        def thrown():
            big = Batch()
            alive.append(weakref.ref(big))
            yield
        def throws():
            generator = thrown()
            next(generator)
            try: generator.throw(Mine())
            except Mine: pass
        throws()
        @annotate("sleeper")
        async def sleeper():
            big = Batch()
            alive.append(weakref.ref(big))
            await asyncio.sleep(60)
        async def cancels():
            task = asyncio.ensure_future(sleeper())
            await asyncio.sleep(0)
            task.cancel()
            try: await task
            except asyncio.CancelledError: pass
        asyncio.run(cancels())
        print(json.dumps([a if isinstance(a, bool) else a() is not None for a in alive]))
        """
    )
    assert run.said == [False] * 5


def test_a_generator_records_no_range_when_nothing_of_it_runs(told):
    run = told(
        """
        from steptrace import annotate
        @annotate("gen")
        def numbers(): yield 1
        assert list(numbers()) == [1]
        """
    )
    assert [name for kind, name in run.ranges if kind == "begin"] == ["gen", "gen"]


def test_ranges_that_are_never_ended_cost_no_memory_without_end(told):
    run = told(
        """
        import json, steptrace
        from steptrace import _open_ranges
        for _ in range(50_000): last = steptrace.annotation_begin("x")
        print(json.dumps(len(_open_ranges._stack())))
        """
    )
    assert 0 < run.said <= 4096
