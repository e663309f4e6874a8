"""What `ask` can be told beside the method, the budget and who asks: `AskOptions`.

A module of its own, and a light one, so that `from upheld import AskOptions` loads no engine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

from upheld._internal.deprecated import warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from upheld.calibration.fitted import FittedGuarantee
    from upheld.ports import Message
    from upheld.run.trace import Listener, Watch


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """Rarely needed options of one question; the defaults are right for a single question.

        >>> from upheld import AskOptions, Message
        >>> options = AskOptions(
        ...     earlier=[
        ...         Message("user", "Who built the lighthouse?"),
        ...         Message("assistant", "Agnes Tolliver did."),
        ...     ],
        ...     listener=lambda event: print(event.stage),
        ... )
        >>> kb.ask("When did she build it?", options=options)

    - `earlier`: the conversation so far; it is worked into the question.
    - `calibrated`: whether a guarantee counts; False shows the verifier's verdicts as they are.
    - `guarantee`: a fitted guarantee to use instead of the one that the settings name.
    - `listener`: called with each step of the run (an `Event`) as it ends.
    - `watch`: told of each step as it begins, and of what the language model writes meanwhile.
    """

    earlier: Sequence[Message] = ()
    calibrated: bool = True
    guarantee: FittedGuarantee | None = None
    listener: Listener | None = None
    watch: Watch | None = None


class DeprecatedAskArguments(TypedDict, total=False):
    """Arguments of `ask` in 0.1: fields of `AskOptions` now, and `keep_supported`."""

    strict: bool

    earlier: Sequence[Message]
    calibrated: bool
    guarantee: FittedGuarantee | None
    listener: Listener | None
    watch: Watch | None


def merge_deprecated(options: AskOptions | None, given: DeprecatedAskArguments) -> AskOptions:
    """The options with arguments that were given the old way, which still work in 0.2."""
    chosen = options or AskOptions()
    if not given:
        return chosen
    fields = AskOptions.__dataclass_fields__
    if unknown := [name for name in given if name not in fields]:
        raise TypeError(f"ask() got an unexpected keyword argument '{unknown[0]}'")
    names = ", ".join(f"{name}=…" for name in given)
    warn(f"ask({names}) is deprecated: give options=AskOptions({names})")
    return replace(chosen, **given)  # type: ignore[misc]  # `ask` took `strict` out
