/** Beside the answer: the words that a sentence rests on, those against it, and those it cites. */
import { Tabs } from "radix-ui";
import { useEffect, useRef, useState } from "react";

import type { Citation, Claim, Feedback, Guarantee } from "../api/types";
import { quotesOf, type Numbers } from "../state/citations";
import { useJson } from "../state/load";
import { guaranteeWords, probabilityWords, reasonSentence, VERDICT_WORDS } from "../state/words";
import { ExternalLink, Foreign, isWebAddress, Link } from "./basics";
import { FeedbackForm } from "./feedback";
import { CloseIcon, VerdictMark } from "./icons";
import { Place, type LocalText } from "./place";
import { pathTo } from "../state/router";

export interface SourcesProps {
  claim: Claim;
  number: number; // of the claim, from 1
  numbers: Numbers;
  collection: string | null;
  answerId?: string | undefined;
  guarantee?: Guarantee | null | undefined;
  locals?: readonly LocalText[] | undefined;
  close: () => void;
}

type Tone = "for" | "against" | "cited";

export function Sources(props: SourcesProps) {
  const { claim, number, close } = props;
  const feedback = useJson<{ feedback: Feedback[] }>(
    props.answerId === undefined ? null : `/v1/answers/${props.answerId}/feedback`,
  );
  const quotes = quotesOf(claim);
  const { support } = claim.verdict;
  const cited = quotes.for.length + quotes.against.length > 0 ? "Cited elsewhere" : "Cited";
  const tabs = (
    [
      ["for", "For"],
      ["against", "Against"],
      ["cited", cited],
    ] as [Tone, string][]
  ).filter(([tone]) => quotes[tone].length > 0);
  const first = support === "contradicted" && quotes.against.length > 0 ? "against" : tabs[0]?.[0];
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") close();
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
    };
  }, [close]);
  return (
    <aside className="sources" aria-label={`Sources of sentence ${String(number)}`} ref={panel}>
      <header className="sources-head">
        <VerdictMark support={support} />
        <div>
          <h2>{VERDICT_WORDS[support]}</h2>
          <p>
            <Foreign>{reasonSentence(claim.verdict)}</Foreign>
          </p>
        </div>
        <button type="button" className="button icon-only" aria-label="Close sources" onClick={close}>
          <CloseIcon />
        </button>
      </header>
      {first === undefined ? (
        <p className="cut">There are no words of a source to show for this sentence.</p>
      ) : (
        // A new claim begins with its own first tab.
        <Tabs.Root className="tabs" defaultValue={first} key={number}>
          <Tabs.List className="tab-list" aria-label="Kinds of evidence">
            {tabs.map(([tone, label]) => (
              <Tabs.Trigger className="tab" value={tone} key={tone}>
                {label} <span className="count">{quotes[tone].length}</span>
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          {tabs.map(([tone]) => (
            <Tabs.Content className="tab-content" value={tone} key={tone}>
              <QuoteList {...props} quotes={quotes[tone]} tone={tone} />
            </Tabs.Content>
          ))}
        </Tabs.Root>
      )}
      <details className="how-sure">
        <summary>How sure is this?</summary>
        <p>{probabilityWords(claim.verdict)}</p>
        {props.answerId !== undefined && <p>{guaranteeWords(props.guarantee)}</p>}
        {claim.verdict.checked_by && (
          <p className="quiet">
            Checked by <Foreign>{claim.verdict.checked_by}</Foreign>
          </p>
        )}
      </details>
      {props.answerId !== undefined && (
        <FeedbackForm
          key={`${props.answerId} ${String(number)}`}
          answer={props.answerId}
          claim={number}
          known={feedback.data?.feedback ?? []}
          changed={feedback.reload}
        />
      )}
    </aside>
  );
}

function QuoteList(props: SourcesProps & { quotes: Citation[]; tone: Tone }) {
  const { quotes, tone, collection, locals, numbers, claim } = props;
  const [at, setAt] = useState(0);
  const quote = quotes[at] ?? quotes[0];
  if (quote === undefined) return null;
  const isCited = claim.citations.some((each) => each.passage_id === quote.passage_id);
  return (
    <>
      {quotes.length > 1 && (
        <div className="chips" role="group" aria-label="Quotes">
          {quotes.map((each, index) => (
            <button
              type="button"
              key={index}
              className="chip"
              aria-pressed={index === at}
              onClick={() => {
                setAt(index);
              }}
            >
              <Foreign>{nameOf(each)}</Foreign>
              {each.page ? `, p. ${String(each.page)}` : ""}
            </button>
          ))}
        </div>
      )}
      <QuoteHead quote={quote} collection={locals ? null : collection} number={numbers.get(quote.passage_id)} />
      {tone === "for" && !isCited && (
        <p className="note slim">The answer does not cite this place; it was found when checking.</p>
      )}
      <Place
        collection={collection}
        quote={quote}
        tone={tone}
        local={locals?.find((each) => each.id === quote.document_id)}
      />
    </>
  );
}

function nameOf(quote: Citation): string {
  return quote.title || quote.document_id;
}

interface HeadProps {
  quote: Citation;
  collection: string | null;
  number: number | undefined;
}

/** Which document, and where in it. */
export function QuoteHead({ quote, collection, number }: HeadProps) {
  const name = <Foreign>{nameOf(quote)}</Foreign>;
  const where = quote.heading_path.filter((each) => each !== quote.title);
  return (
    <div className="quote-head">
      {number !== undefined && <span className="number">{number}</span>}
      <div>
        <p className="title">
          {collection === null ? name : <Link to={pathTo("documents", collection, quote.document_id)}>{name}</Link>}
        </p>
        <p className="quiet">
          {quote.page ? `Page ${String(quote.page)}` : ""}
          {quote.page && where.length > 0 ? " · " : ""}
          <Foreign>{where.join(" › ")}</Foreign>
          {isWebAddress(quote.uri) && (
            <>
              {" "}
              <ExternalLink href={quote.uri}>{new URL(quote.uri).host}</ExternalLink>
            </>
          )}
        </p>
      </div>
    </div>
  );
}
