"""Documents for the page's tests and pictures: a museum's report, web page, memo and notes."""

from __future__ import annotations

import io

from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer

from tests.documents import make_docx, make_html

REPORT: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "The year at Skerry Light",
        (
            "Skerry Light was lit for the first time on 4 March 1848. The tower is 42 metres high, "
            "and its lamp is seen from 24 nautical miles.",
            "In 2025 the lighthouse had 61,240 visitors, 8 percent more than the year before. "
            "Visitors climb 199 steps to the gallery. The climb takes about twenty minutes.",
            "The lighthouse opens at nine in the morning and closes at six in the evening. From "
            "November to February it is open on weekends only.",
        ),
    ),
    (
        "Restoration of the lantern",
        (
            "The lantern room was restored between April and September 2025. The works cost "
            "1.3 million euros, of which the county paid half.",
            "The original Fresnel lens was cleaned by hand and put back in place. It has 672 "
            "prisms, and it weighs 3.8 tonnes.",
            "During the works a colony of 31 pairs of swifts was found under the gallery. The "
            "scaffold stayed until the young had left.",
        ),
    ),
)
WEB_PAGE: tuple[tuple[str, str], ...] = (
    ("h1", "Visit Skerry Light"),
    ("h2", "Opening hours"),
    ("p", "The lighthouse opens at ten in the morning. Last entry is at five."),
    ("h2", "Tickets"),
    ("p", "Adults pay 9 euros. Children under twelve enter free of charge."),
    ("h2", "Getting here"),
    ("p", "The ferry leaves Port Ellan every hour from eight. The crossing takes 35 minutes."),
)
MEMO: tuple[tuple[str, str], ...] = (
    ("Title", "Duties of the keeper"),
    ("Heading 1", "Keys"),
    ("Normal", "Dr. Mairi Sinclair keeps the keys of the tower. A second set is with the warden."),
    ("Heading 1", "Storms"),
    ("Normal", "The gallery is closed when the wind is stronger than 60 kilometres an hour."),
    ("Normal", "The fog horn was switched off for good in 1994."),
)
NOTES = """# Birds of the island

## Swifts

Swifts return in the first week of May. They leave in August. \U0001f426\U0001f426

## Puffins

About 400 pairs of puffins breed on the western cliff. The path above the cliff is closed in June.
"""


def report_pdf() -> bytes:
    """A report of two pages."""
    out, styles = io.BytesIO(), getSampleStyleSheet()
    document = SimpleDocTemplate(
        out, pagesize=A5, title="Skerry Light: report 2025", invariant=1, author="Skerry Trust"
    )
    story: list[object] = []
    for heading, paragraphs in REPORT:
        story += [Paragraph(heading, styles["Heading1"]), Spacer(1, 8)]
        for text in paragraphs:
            story += [Paragraph(text, styles["BodyText"]), Spacer(1, 6)]
        story.append(PageBreak())
    document.build(story)
    return out.getvalue()


def web_page() -> bytes:
    return make_html(WEB_PAGE, title="Visit Skerry Light")


def memo_docx() -> bytes:
    return make_docx(MEMO)


FILES = {
    "report-2025.pdf": report_pdf,
    "visit.html": web_page,
    "keeper.docx": memo_docx,
    "birds.md": NOTES.encode,
}
