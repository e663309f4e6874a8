"""Units are no names."""

from __future__ import annotations

from upheld.text.names import absent, given


def test_a_unit_after_a_number_is_no_name() -> None:
    assert absent("It uses 128 MB of memory.", given("128 megabytes (128MB) of memory")) == ()
    assert absent("It met MB in Paris.", given("It met somebody in Paris.")) == ("MB",)
