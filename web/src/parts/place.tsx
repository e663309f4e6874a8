/** A quote in its document: the page as it looks, or the text in its headings. */
import { useEffect, useRef, useState } from "react";

import { documentPath, query } from "../api/client";
import type { Citation, DocumentPages, DocumentText, DocumentView, PageMarks } from "../api/types";
import { toBlocks, type Block, type Span } from "../state/blocks";
import { useJson, usePicture } from "../state/load";
import { plural } from "../state/words";
import { Foreign, ProblemNote, Waiting } from "./basics";
import { BackIcon, NextIcon } from "./icons";

const AROUND = 2000; // code points of text before and after a quote
const WIDTH = 1100; // pixels across a page

/** A document by its text, for answers that are checked against texts of this page. */
export interface LocalText {
  id: string;
  text: string;
}

interface PlaceProps {
  collection: string | null;
  quote: Citation;
  tone: "for" | "against" | "cited";
  local?: LocalText | undefined;
}

export function Place({ collection, quote, tone, local }: PlaceProps) {
  if (local) return <TextView text={local.text} offset={0} spans={[quote]} tone={tone} />;
  if (collection === null || quote.document_id === "") return <QuoteAlone quote={quote} />;
  return <StoredPlace collection={collection} quote={quote} tone={tone} />;
}

function StoredPlace({ collection, quote, tone }: PlaceProps & { collection: string }) {
  const path = documentPath(collection, quote.document_id);
  const { data, problem, loading } = useJson<DocumentView>(path, true);
  if (loading) return <Waiting>Opening the source</Waiting>;
  if (problem?.status === 404) {
    return <QuoteAlone quote={quote} why="The document is not in this collection, or was deleted." />;
  }
  if (problem || data === null) return problem && <ProblemNote problem={problem} />;
  if (data.version !== quote.document_version) {
    return (
      <QuoteAlone
        quote={quote}
        why="The document has changed since. These are the words as they were; nothing is marked in the new text."
      />
    );
  }
  const own = { collection, quote, tone };
  return data.pages ? <PdfPlace {...own} count={data.pages} /> : <TextPlace {...own} />;
}

function QuoteAlone({ quote, why }: { quote: Citation; why?: string }) {
  return (
    <figure className="alone">
      <blockquote>
        <Foreign>{quote.quote}</Foreign>
      </blockquote>
      {why && <figcaption>{why}</figcaption>}
    </figure>
  );
}

function TextPlace({ collection, quote, tone }: PlaceProps & { collection: string }) {
  const window = {
    version: quote.document_version,
    start: Math.max(0, quote.start - AROUND),
    end: quote.end + AROUND,
  };
  const path = documentPath(collection, quote.document_id, `/text${query(window)}`);
  const { data, problem, loading } = useJson<DocumentText>(path, true);
  if (loading) return <Waiting>Opening the text</Waiting>;
  if (problem || data === null) return problem && <ProblemNote problem={problem} />;
  return (
    <>
      {data.start > 0 && <p className="cut">… the text begins earlier</p>}
      <TextView text={data.text} offset={data.start} spans={[quote]} tone={tone} />
      {data.end < data.length && <p className="cut">… the text goes on</p>}
    </>
  );
}

interface TextViewProps {
  text: string;
  offset: number;
  spans: readonly Span[];
  tone: PlaceProps["tone"];
}

export function TextView({ text, offset, spans, tone }: TextViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const first = spans[0]?.start;
  useEffect(() => {
    const marked = box.current?.querySelector("mark");
    if (marked && box.current) scrollWithin(box.current, marked);
  }, [text, first]);
  return (
    <div className="sheet text" ref={box} tabIndex={0} role="region" aria-label="Text of the source">
      {toBlocks(text, offset, spans).map((each) => (
        <BlockView key={each.start} block={each} tone={tone} />
      ))}
    </div>
  );
}

export function BlockView({ block, tone }: { block: Block; tone: PlaceProps["tone"] }) {
  const inner = block.pieces.map((piece, index) =>
    piece.marked ? (
      <mark className={tone} key={index}>
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  );
  // Headings of a document are no headings of this page: a screen reader's outline stays ours.
  if (block.level > 0) return <p className={`heading h${String(Math.min(block.level, 3))}`}>{inner}</p>;
  return <p dir="auto">{inner}</p>;
}

function PdfPlace(props: PlaceProps & { collection: string; count: number }) {
  const { collection, quote, tone, count } = props;
  const span = { version: quote.document_version, start: quote.start, end: quote.end };
  const path = documentPath(collection, quote.document_id, `/pages${query(span)}`);
  const { data, problem, loading } = useJson<DocumentPages>(path, true);
  const first = data?.pages[0]?.page ?? quote.page ?? 1;
  const [turned, setTurned] = useState<{ path: string; page: number } | null>(null);
  const page = turned?.path === path ? turned.page : first;
  const marks = data?.pages.find((each) => each.page === page) ?? null;
  const turn = (to: number) => {
    setTurned({ path, page: to });
  };
  return (
    <>
      {problem && <ProblemNote problem={problem} />}
      {loading && quote.page === null ? (
        <Waiting>Finding the page</Waiting>
      ) : (
        <PageView {...{ collection, page, marks, tone }} id={quote.document_id} />
      )}
      <Pager page={page} count={count} turn={turn} />
      {data && data.pages.length > 1 && (
        <p className="cut">The quote goes over {plural(data.pages.length, "page")}.</p>
      )}
    </>
  );
}

export function Pager(props: { page: number; count: number; turn: (to: number) => void }) {
  const { page, count, turn } = props;
  return (
    <div className="pager">
      <button
        type="button"
        className="button icon-only"
        aria-label="Page before"
        disabled={page <= 1}
        onClick={() => {
          turn(page - 1);
        }}
      >
        <BackIcon />
      </button>
      <span>
        Page {page} of {count}
      </span>
      <button
        type="button"
        className="button icon-only"
        aria-label="Next page"
        disabled={page >= count}
        onClick={() => {
          turn(page + 1);
        }}
      >
        <NextIcon />
      </button>
    </div>
  );
}

interface PageViewProps {
  collection: string;
  id: string;
  page: number;
  marks: PageMarks | null;
  tone: PlaceProps["tone"];
}

/** A page as a picture, with rectangles where the quoted characters are. */
export function PageView({ collection, id, page, marks, tone }: PageViewProps) {
  const path = documentPath(collection, id, `/pages/${String(page)}.png${query({ width: WIDTH })}`);
  const { url, problem } = usePicture(path);
  const box = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<string | null>(null);
  const top = marks?.rectangles[0]?.top;
  useEffect(() => {
    const first = box.current?.querySelector(".rectangle");
    if (first && box.current) scrollWithin(box.current, first);
  }, [shown, top]);
  if (problem) return <ProblemNote problem={problem} />;
  if (url === null) return <Waiting>Drawing page {page}</Waiting>;
  const percent = (share: number) => `${(share * 100).toFixed(3)}%`;
  return (
    <div className="sheet page" ref={box} tabIndex={0} role="region" aria-label={`Page ${String(page)}`}>
      <div className="paper">
        <img
          src={url}
          alt={`Page ${String(page)} of the document`}
          onLoad={() => {
            setShown(url);
          }}
        />
        {marks?.rectangles.map((each, index) => (
          <span
            key={index}
            className={`rectangle ${tone}`}
            style={{
              left: percent(each.left),
              top: percent(each.top),
              width: percent(each.right - each.left),
              height: percent(each.bottom - each.top),
            }}
          />
        ))}
      </div>
    </div>
  );
}

/** Scroll a box to a part of it, without moving the page around it. */
function scrollWithin(box: HTMLElement, part: Element): void {
  const offset = part.getBoundingClientRect().top - box.getBoundingClientRect().top;
  box.scrollTop += offset - box.clientHeight / 3;
}
