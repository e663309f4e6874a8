/** One document: what was read of it, and its pages. */
import { Tabs } from "radix-ui";
import { Fragment, useEffect, useState } from "react";

import { documentPath, query } from "../api/client";
import type { DocumentPassages, DocumentText, DocumentView } from "../api/types";
import { ExternalLink, Foreign, isWebAddress, Link, ProblemNote, Waiting } from "../parts/basics";
import { BlockView, Pager, PageView } from "../parts/place";
import { toBlocks, toPassages } from "../state/blocks";
import { useJson } from "../state/load";
import { pathTo } from "../state/router";
import { plural } from "../state/words";

const POLL_MS = 1000;

export function OneDocumentView({ collection, id }: { collection: string; id: string }) {
  const { data, problem, reload } = useJson<DocumentView>(documentPath(collection, id));
  const pending = data?.status === "pending";
  useEffect(() => {
    if (!pending) return undefined;
    const timer = setInterval(reload, POLL_MS);
    return () => {
      clearInterval(timer);
    };
  }, [pending, reload]);
  if (problem?.status === 404) {
    return (
      <section className="empty">
        <h1>There is no such document</h1>
        <p>It was deleted, or your key may not see it.</p>
        <Link className="button" to={pathTo("documents", collection)}>
          All documents
        </Link>
      </section>
    );
  }
  if (problem) return <ProblemNote problem={problem} retry={reload} />;
  if (data === null) return <Waiting>Opening the document</Waiting>;
  return (
    <section className="one-document">
      <p className="quiet">
        <Link to={pathTo("documents", collection)}>Documents</Link> › <Foreign>{collection}</Foreign>
      </p>
      <header className="view-head">
        <h1>
          <Foreign>{id}</Foreign>
        </h1>
        {data.original && (
          <a className="button small" href={documentPath(collection, id, "/original")} download>
            Download the original
          </a>
        )}
      </header>
      <p className="quiet">
        {isWebAddress(data.origin) ? (
          <ExternalLink href={data.origin}>{data.origin}</ExternalLink>
        ) : (
          <Foreign>{data.origin}</Foreign>
        )}
        {data.pages ? ` · ${plural(data.pages, "page")}` : ""}
        {data.labels.map((label) => (
          <span className="tag" key={label}>
            <Foreign>{label}</Foreign>
          </span>
        ))}
      </p>
      {pending && <Waiting>It is being read</Waiting>}
      {data.status === "failed" && data.error && <p className="why">{data.error}</p>}
      {data.status === "ready" && <Contents document={data} />}
    </section>
  );
}

function Contents({ document: own }: { document: DocumentView }) {
  return (
    <Tabs.Root className="tabs" defaultValue="text">
      <Tabs.List className="tab-list" aria-label="Ways to look at it">
        <Tabs.Trigger className="tab" value="text">
          What was read
        </Tabs.Trigger>
        {own.pages && (
          <Tabs.Trigger className="tab" value="pages">
            Pages
          </Tabs.Trigger>
        )}
      </Tabs.List>
      <Tabs.Content className="tab-content" value="text">
        <WholeText document={own} />
      </Tabs.Content>
      {own.pages && (
        <Tabs.Content className="tab-content" value="pages">
          <Pages document={own} count={own.pages} />
        </Tabs.Content>
      )}
    </Tabs.Root>
  );
}

const WINDOW = 20_000; // code points shown at once

function WholeText({ document: own }: { document: DocumentView }) {
  const [start, setStart] = useState(0);
  const window = { start, end: start + WINDOW, version: own.version };
  const { data, problem } = useJson<DocumentText>(
    documentPath(own.collection, own.id, `/text${query(window)}`),
  );
  const passages = useJson<DocumentPassages>(
    documentPath(own.collection, own.id, `/passages${query(window)}`),
  );
  if (problem) return <ProblemNote problem={problem} />;
  if (data === null) return <Waiting>Opening the text</Waiting>;
  const parts = Math.ceil(data.length / WINDOW);
  return (
    <>
      <p className="quiet">
        {plural(data.length, "character")}
        {passages.data &&
          ` in ${plural(passages.data.count, "passage")}. A line on the left is a passage: what a search finds, and what is cited.`}
      </p>
      <div className="sheet text" tabIndex={0} role="region" aria-label="Text of the document">
        {toPassages(data, passages.data?.passages ?? []).map((part) => {
          const blocks = toBlocks(part.text, 0, []).map((each) => (
            <BlockView key={each.start} block={each} tone="cited" />
          ));
          if (part.number === null) return <Fragment key={part.start}>{blocks}</Fragment>;
          return (
            <div className="passage" data-number={part.number} key={part.start}>
              {blocks}
            </div>
          );
        })}
      </div>
      {parts > 1 && (
        <Pager
          page={start / WINDOW + 1}
          count={parts}
          turn={(to) => {
            setStart((to - 1) * WINDOW);
          }}
        />
      )}
    </>
  );
}

function Pages({ document: own, count }: { document: DocumentView; count: number }) {
  const [page, setPage] = useState(1);
  return (
    <>
      <PageView collection={own.collection} id={own.id} page={page} marks={null} tone="cited" />
      <Pager page={page} count={count} turn={setPage} />
    </>
  );
}
