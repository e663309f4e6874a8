"""`upheld re-embed`: the vectors of another embedder for a collection, without downtime."""

from __future__ import annotations

from rich.text import Text

from upheld.cli import options, show


def re_embed(
    kb: options.Kb = None, collection: options.Collection = None, as_json: options.Json = False
) -> None:
    """Embed all passages of a collection again, with the embedder that is installed now.

    Use it when an error says that the collection was made with another embedder, or without one.
    The documents need not be read again. Other processes go on searching and writing meanwhile;
    afterwards, restart those that were started with the old embedder: until then they search by
    words only and say so.

    If it is interrupted, run it again: it continues where it stopped.

    Examples:

        upheld re-embed --kb kb

        upheld re-embed --kb s3://bucket/kb --collection minutes
    """
    from upheld.settings import load_settings
    from upheld.sync_client import Upheld

    options.need_collection(load_settings(kb=kb, collection=collection))
    with Upheld.open(kb, collection=collection) as opened:
        done = opened.re_embed()
        opened.maintain()
    if as_json:
        show.print_json(done)
    elif done.documents:
        what = f"{done.passages} passages of {done.documents} documents in {done.seconds:.1f} s"
        show.out.print(Text.assemble((f"{what} ", "green"), (f"by {done.embedder}", "dim")))
    else:
        show.out.print(Text(f"Nothing to do: its vectors are of {done.embedder} already."))
