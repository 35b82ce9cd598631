# SPDX-License-Identifier: Apache-2.0
"""Which tensors are looked at, and at which steps.

What was asked for comes as the launcher has checked it: `gradients,weights,loss@every=10,100:200`.
Where no interval was given it follows from what a reading costs, that of the loss from what that costs: all
readings of a kind take at most a four-hundredth of the time. They are powers of two, so that ranks look at
the same steps, or one of them at some of the other's. With an interval that was given the loss is
looked at in each step.
"""

ROLES = ("gradients", "weights", "loss")
_BUDGET = 400  # a reading takes no more than this part of the time until the next
_MOST_STEPS = 1 << 20  # between two readings
_FOREVER = 1 << 62
# Steps of which the time is known before an interval is made of it: the first is seldom like the others.
_FIRST_READING = 2


class Plan:
    def __init__(self, text):
        asked, _, schedule = text.partition("@")
        words = asked.split(",")
        self.roles = frozenset(ROLES) if "all" in words else frozenset(words)
        self.is_fixed = False
        self.every = 1
        self.loss_every = 1
        self._first, self._end = 0, _FOREVER
        for part in filter(None, schedule.split(",")):
            if part.startswith("every="):
                self.is_fixed = True
                self.every = max(1, int(part[len("every=") :]))
            else:
                first, _, end = part.partition(":")
                self._first = int(first or 0)
                self._end = int(end or _FOREVER)
        self._step = self._step_began_ns = None
        self._step_ns = None  # of late, without our readings
        self._looked_ns = 0  # of that, in the step that goes on
        self._whole_ns = None  # all readings of that step
        self._whole_loss_ns = None  # all losses of that step
        self._reported_every = 1

    def is_due(self, step):
        if not self._first <= step < self._end:
            return False
        if self.is_fixed:
            return step % self.every == 0
        return step >= _FIRST_READING and (step % self.every == 0 or step == _FIRST_READING)

    def steps_until_due(self, step):
        """Of the steps behind this one, how many nothing is to be done at."""
        after = step + 1
        if self.is_fixed or step < _FIRST_READING + 1:
            return 0
        left = [-after % self.loss_every] if "loss" in self.roles else []
        if self.roles != {"loss"}:
            left.append(self._until_look(after))
        return min(left)

    def _until_look(self, after):
        if after < self._first:
            return self._first - after
        return _FOREVER if after >= self._end else -after % self.every

    def border(self, step, now_ns):
        """An optimizer is about to step, in that step of the process."""
        if step == self._step:
            return
        if self._step is not None and step > self._step:
            took = (now_ns - self._step_began_ns - self._looked_ns) // (step - self._step)
            before = self._step_ns
            # The first steps of a training are long: what is shorter counts at once.
            if before is None or took < before:
                self._step_ns = took
            else:
                self._step_ns = before + (took - before) / 8
        if self._whole_ns is not None:
            self.every = self._interval(self.every, self._whole_ns)
            self._whole_ns = None
        if self._whole_loss_ns is not None:
            self.loss_every = self._interval(self.loss_every, self._whole_loss_ns)
            self._whole_loss_ns = None
        self._step, self._step_began_ns, self._looked_ns = step, now_ns, 0

    def looked(self, cost_ns, whole_ns):
        """`cost_ns`: this reading, or a part of it; `whole_ns`: all readings of this step so far. True: the
        interval is another than the one told last."""
        self._looked_ns += cost_ns
        # Another optimizer may follow: the interval shrinks when the next step begins.
        self._whole_ns = whole_ns
        self.every = max(self.every, self._interval(self.every, whole_ns))
        before, self._reported_every = self._reported_every, self.every
        return self.every != before

    def searched(self, cost_ns):
        """Names were searched for: no part of the step, and no part of a reading."""
        self._looked_ns += cost_ns

    def looked_at_loss(self, cost_ns, whole_ns):
        """`whole_ns`: all losses of this step so far; a step with gradient accumulation has several."""
        self._looked_ns += cost_ns
        self._whole_loss_ns = whole_ns
        self.loss_every = max(self.loss_every, self._interval(self.loss_every, whole_ns))

    def _interval(self, every, cost_ns):
        if self.is_fixed or not self._step_ns:
            return every
        needed = cost_ns * _BUDGET / self._step_ns
        while every < needed and every < _MOST_STEPS:
            every *= 2
        while every > 1 and every > 4 * needed:
            every //= 2
        return every

    @property
    def step_ns(self):
        return int(self._step_ns or 0)
