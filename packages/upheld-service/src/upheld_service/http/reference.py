"""`/docs`: the OpenAPI document as a page of its own, which loads nothing from elsewhere.

FastAPI's own page loads its scripts from a CDN: it stays blank inside a closed network, and whoever
controls that CDN controls a page on which people type their keys. This one has no scripts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

Json = Mapping[str, Any]
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #1b1b1b; background: #fff; }
h2 { border-bottom: 1px solid #ccc; margin-top: 2.5rem; }
h3 code { font-size: 1rem; }
pre { background: #f4f4f4; padding: .7rem; overflow-x: auto; font-size: .85rem; }
table { border-collapse: collapse; } td, th { text-align: left; padding: .2rem .8rem .2rem 0;
        vertical-align: top; }
summary { cursor: pointer; }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #16181d; }
  pre { background: #22252c; } a { color: #8ab4f8; } }
"""


def reference_route(app: FastAPI) -> Callable[[], HTMLResponse]:
    """Return the handler of `GET /docs`; the page is made on first use and cached."""
    made: list[str] = []

    def reference() -> HTMLResponse:
        if not made:
            made.append(page(app.openapi()))
        return HTMLResponse(made[0], headers=HEADERS)

    return reference


def page(document: Json) -> str:
    """Render an OpenAPI document as HTML."""
    info = document["info"]
    title = escape(f"{info['title']} {info['version']}")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1>"
        f"<p>{escape(info.get('summary', ''))}</p>"
        '<p>The same for programs: <a href="openapi.json">openapi.json</a>. Every request to '
        "<code>/v1</code> needs a key: <code>Authorization: Bearer uph_…</code></p>"
        f"{''.join(_routes(document['paths']))}<h2 id='schemas'>Schemas</h2>"
        f"{''.join(_schemas(document.get('components', {}).get('schemas', {})))}</body></html>"
    )


def _routes(paths: Mapping[str, Json]) -> Iterator[str]:
    last = None
    for path, methods in paths.items():
        for method, operation in methods.items():
            tag = next(iter(operation.get("tags", ())), "")
            if tag != last:
                yield f"<h2>{escape(tag)}</h2>"
                last = tag
            yield from _operation(f"{method.upper()} {path}", operation)


def _operation(name: str, operation: Json) -> Iterator[str]:
    yield f"<h3><code>{escape(name)}</code> {escape(operation.get('summary', ''))}</h3>"
    yield f"<p>{escape(operation.get('description', ''))}</p>"
    if given := operation.get("parameters"):
        rows = "".join(
            f"<tr><td><code>{escape(each['name'])}</code></td><td>{escape(each['in'])}"
            f"{', required' if each.get('required') else ''}</td>"
            f"<td>{escape(each.get('description', ''))} {_kind(each.get('schema', {}))}</td></tr>"
            for each in given
        )
        yield f"<table>{rows}</table>"
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield _shown(f"Body: {kind}", content.get("schema", {}))
    for status, reply in operation.get("responses", {}).items():
        for kind, content in reply.get("content", {}).items() or [("", {})]:
            title = f"{status}: {reply.get('description', '')} {kind}"
            yield _shown(title, content.get("schema") or content.get("itemSchema") or {})


def _schemas(schemas: Mapping[str, Json]) -> Iterator[str]:
    for name, schema in schemas.items():
        yield f'<h3 id="{escape(name, quote=True)}"><code>{escape(name)}</code></h3>'
        yield _shown("Schema", schema)


def _shown(title: str, schema: Json) -> str:
    if not schema:
        return f"<p>{escape(title)}</p>"
    if reference := schema.get("$ref"):
        name = escape(reference.rpartition("/")[2], quote=True)
        return f'<p>{escape(title)} <a href="#{name}">{name}</a></p>'
    text = json.dumps(schema, indent=2, ensure_ascii=False)
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"


def _kind(schema: Json) -> str:
    """Return the limits of a parameter on one line."""
    told = {name: value for name, value in schema.items() if name not in ("title", "description")}
    return f"<code>{escape(json.dumps(told, ensure_ascii=False))}</code>" if told else ""
