"""Import LanceDB without the REST client of its cloud.

`import lancedb` also imports a generated client of the Lance REST catalogue (250 pydantic models,
366 validated calls) and, on Python 3.11, a decorator that disassembles the code around each of 105
methods. That is four fifths of its CPU time, and none of it is used on a folder or a bucket. During
the import, stubs take their place; a class of the client that is used after all is imported at that
moment. docs/decisions/021-cold-start.md has the measurements.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_CATALOGUE = "lance_namespace"
_CLIENT = "lance_namespace_urllib3_client"
_CHECKS = "overrides"  # from Python 3.12 on, LanceDB uses typing.override itself
_NATIVE = "lancedb._lancedb"  # can be initialised once in a process

_importing = threading.Lock()


def load_lancedb() -> Any:
    """Return the package `lancedb`; the first call imports it."""
    with _importing:
        if "lancedb" not in sys.modules:
            try:
                with stand_ins():
                    return importlib.import_module("lancedb")
            except Exception:  # a version that uses the client during its import
                for name in list(sys.modules):
                    if name.partition(".")[0] == "lancedb" and name != _NATIVE:
                        del sys.modules[name]
        return importlib.import_module("lancedb")


@contextmanager
def stand_ins() -> Iterator[None]:
    """Replace unused modules by stubs for every import inside the block."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name, module in list(sys.modules.items()):
            if isinstance(module, _StandIn):
                del sys.modules[name]  # later imports get the real module


class _Finder(MetaPathFinder, Loader):
    """Finds and creates the stubs; submodules of the catalogue, such as its errors, are real."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for a stub, or None for a module that is used."""
        top = fullname.partition(".")[0]
        if fullname not in (_CATALOGUE, _CHECKS) and top != _CLIENT:
            return None
        spec = ModuleSpec(fullname, self, is_package=True)
        if fullname == _CATALOGUE and (real := PathFinder.find_spec(fullname)) is not None:
            spec.submodule_search_locations = real.submodule_search_locations
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Create an empty module whose attributes are created on access."""
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Define the decorator without checks, like `typing.override`."""
        if module.__name__ == _CHECKS:
            vars(module).update(override=lambda method: method, EnforceOverrides=object)


class _StandIn(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Deferred(name, (), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


class _Deferred(type):
    """A class or function of another module, which is imported on first use."""

    def _real(cls) -> Any:
        return getattr(importlib.import_module(cls.__module__), cls.__name__)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the real class or function."""
        return cls._real()(*args, **kwargs)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(cls._real(), name)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls._real())
