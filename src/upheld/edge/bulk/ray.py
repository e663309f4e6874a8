"""Bulk work on a Ray cluster: each stage is a pool of Ray Data actors."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from upheld.bulk import Stage, attempt
from upheld.errors import BulkError, MissingExtraError

_COLUMN = "item"  # pickled: Ray Data passes rows of columns, and ours are values of any type


class RayBulk:
    """Implements `upheld.bulk.Bulk` on a cluster that runs, or on one started on this machine.

    `address` is what `ray.init` takes; without it, `RAY_ADDRESS` names the cluster. `cpus` limits
    a cluster that is started here, which else has all processors of this machine. Ray replaces
    actors and repeats items when a worker or a host is lost, and Ray Data starts no more work
    while results wait to be taken.
    """

    def __init__(self, address: str | None = None, *, cpus: int | None = None) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
        os.environ.setdefault("RAY_DATA_LOG_LEVEL", "ERROR")  # progress is shown by the caller
        try:
            import ray
            import ray.data
        except ImportError as missing:
            raise MissingExtraError("Work on Ray", "cluster", str(missing)) from missing
        self._ray: Any = ray
        try:
            ray.init(
                address=address,
                num_cpus=cpus,
                ignore_reinit_error=True,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        except (ConnectionError, TimeoutError, ValueError, RuntimeError) as error:
            raise BulkError(
                f"The Ray cluster {address or os.environ.get('RAY_ADDRESS', '')} does not answer: "
                f"{str(error).partition(chr(10))[0]}",
                help="Start it with `ray start --head`, and run this on one of its hosts.",
            ) from error
        context: Any = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.execution_options.verbose_progress = False

    def run(self, items: Sequence[Any], *stages: Stage) -> Iterator[Any]:
        """Yield results as they are ready; a stage has at most as many actors as there are CPUs."""
        if not items:
            return
        data: Any = self._ray.data.from_items(
            [{_COLUMN: pickle.dumps(item)} for item in items], override_num_blocks=len(items)
        )
        cpus = int(self._ray.cluster_resources().get("CPU", 1))
        most = max(1, min(cpus, len(items)))
        # All that fit start at once: Ray Data would add one actor after another, within seconds.
        first = max(1, min(most, int(cpus / sum(stage.cpus for stage in stages))))
        strategy: Any = self._ray.data.ActorPoolStrategy
        for stage in stages:
            data = data.map_batches(
                _Worker,
                fn_constructor_args=(pickle.dumps(stage),),
                batch_size=None,
                compute=strategy(min_size=1, max_size=most, initial_size=first),
                num_cpus=stage.cpus,
            )
        for row in data.iter_rows():
            yield pickle.loads(row[_COLUMN])  # noqa: S301 - written by our own workers

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        self._ray.shutdown()


class _Worker:
    """A stage in an actor: opened once, then called with blocks of pickled items."""

    def __init__(self, stage: bytes) -> None:
        opened: Stage = pickle.loads(stage)  # noqa: S301 - written by the driver
        self._name, self._work = opened.name, opened.open()

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        import numpy as np

        done = np.empty(len(batch[_COLUMN]), object)
        for place, item in enumerate(batch[_COLUMN]):
            given = pickle.loads(item)  # noqa: S301 - written by the driver or another worker
            done[place] = pickle.dumps(attempt(self._name, self._work, given))
        return {_COLUMN: done}
