"""The less common options of `ask`: `AskOptions`.

A separate module without heavy imports, so that `from upheld import AskOptions` is fast.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

from upheld._internal.deprecated import warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from upheld.calibration.fitted import FittedGuarantee
    from upheld.ports import Message
    from upheld.run.trace import Listener, News, OnClaim, Watch


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

    - `earlier`: the conversation so far; the question is rewritten so that it needs no context.
    - `calibrated`: whether to apply the guarantee; False shows the verifier's own verdicts.
    - `guarantee`: a fitted guarantee to use instead of the one that the settings name.
    - `listener`: called with an `Event` when a step of the run ends.
    - `watch`: called when a step begins, and with the text that the language model writes.
    - `news`: called when a step ends, with what it found: passages, sub-questions, repairs.
    - `on_claim`: awaited with each claim, in order, as soon as its verdict is final, while later
      ones are still written. Methods that revise their drafts call it late or not at all.
    """

    earlier: Sequence[Message] = ()
    calibrated: bool = True
    guarantee: FittedGuarantee | None = None
    listener: Listener | None = None
    watch: Watch | None = None
    news: News | None = None
    on_claim: OnClaim | None = None


class DeprecatedAskArguments(TypedDict, total=False):
    """Arguments of `ask` in 0.1; now they are fields of `AskOptions`, `strict` `keep_supported`."""

    strict: bool

    earlier: Sequence[Message]
    calibrated: bool
    guarantee: FittedGuarantee | None
    listener: Listener | None
    watch: Watch | None


def merge_deprecated(options: AskOptions | None, given: DeprecatedAskArguments) -> AskOptions:
    """Merge deprecated arguments of `ask` into the options, with a warning; works until 0.3.

    Raises `TypeError` for an argument that `ask` never had.
    """
    chosen = options or AskOptions()
    if not given:
        return chosen
    fields = AskOptions.__dataclass_fields__
    if unknown := [name for name in given if name not in fields]:
        raise TypeError(f"ask() got an unexpected keyword argument '{unknown[0]}'")
    names = ", ".join(f"{name}=…" for name in given)
    warn(f"ask({names}) is deprecated: give options=AskOptions({names})")
    return replace(chosen, **given)  # type: ignore[misc]  # `ask` took `strict` out
