# SPDX-License-Identifier: Apache-2.0
"""What the figures of a run share: sizes, titles, bars, and the figure that says that there is nothing."""

from io import BytesIO
from textwrap import wrap

from ._executable import SteptraceError
from ._inert import inert

NAME_LENGTH = 48
TITLE_LENGTH = 84

_figure_class = None


def new_figure(rows, width=8.0):
    """An empty figure that is as high as its rows need, in inches."""
    global _figure_class
    if _figure_class is None:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise SteptraceError("plot: no matplotlib; pip install matplotlib")

        class RunFigure(Figure):
            """A Figure that notebooks show without pyplot's help."""

            def _repr_png_(self):
                png = BytesIO()
                self.savefig(png, format="png", dpi=110)
                return png.getvalue()

        _figure_class = RunFigure
    return _figure_class(figsize=(width, 1.1 + 0.34 * rows), layout="constrained")


def short(name, length=NAME_LENGTH):
    """One line of a name from a trace; `$` would begin a formula."""
    text = inert(" ".join(str(name).split()))
    text = text if len(text) <= length else text[: length - 1] + "…"
    return text.replace("$", r"\$")


def in_lines(title):
    """A title that is broken where the figure ends; one that is longer would be cut there."""
    return "\n".join(wrap(title, TITLE_LENGTH))


def names_of(rows):
    """Names of operators or kernels; with the rank before them where there are several."""
    if len({row["rank"] for row in rows}) < 2:
        return [row["name"] for row in rows]
    return ["rank {rank}: {name}".format(**row) for row in rows]


def bare_axes(figure, title):
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", fontsize=10)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return axes


def whole_numbers(axis):
    """Of counts: no tick stands between two of them."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def nothing(title, why):
    """A figure that says why there is nothing to see; a notebook that is written leaves it out."""
    figure = new_figure(2)
    figure.shows_nothing = True
    axes = figure.add_subplot()
    axes.axis("off")
    axes.set_title(title, loc="left", fontsize=10)
    axes.text(0.0, 0.5, inert(why).replace("$", r"\$"), transform=axes.transAxes, color="#5A6069")
    return figure


def bars(title, names, parts, unit):
    """Horizontal bars, the first name on top; parts: (label, values, colour or colours), stacked.

    Of several parts those without any value are left out, of the legend too.
    """
    several = len(parts) > 1
    parts = [part for part in parts if any(part[1])] or parts[:1]
    figure = new_figure(len(names) + (1 if several else 0))
    axes = bare_axes(figure, title)
    places = range(len(names))
    left = [0.0] * len(names)
    for label, values, colour in parts:
        axes.barh(places, values, left=left, color=colour, label=short(label), height=0.7)
        left = [a + b for a, b in zip(left, values)]
    axes.set_yticks(list(places), labels=[short(name) for name in names], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(unit)
    if several:
        figure.legend(frameon=False, fontsize=8, ncols=len(parts), loc="outside lower right")
    return figure


def columns(run, table, wanted, where=None, limit=None):
    """Rows as lists by column, with pyarrow or without."""
    rows = run.table(table, wanted, where, limit)
    if isinstance(rows, list):
        return {name: [row[name] for row in rows] for name in wanted}
    return {name: rows.column(name).to_pylist() for name in wanted}


def steps_of_rank(run):
    """(number, ts_ns, dur_ns) of the steady training steps of the lowest rank, by time."""
    rows = columns(run, "steps", ["rank", "step", "ts_ns", "dur_ns"], "kind = 'train'")
    lowest = min(rows["rank"], default=None)
    steps = zip(rows["rank"], rows["ts_ns"], rows["step"], rows["dur_ns"])
    return sorted((number, ts, dur) for rank, ts, number, dur in steps if rank == lowest)
