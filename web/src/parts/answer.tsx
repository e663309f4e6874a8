/** What stands around the sentences: the answer's own line, conflicts, and what is missing. */
import { useMemo, useState } from "react";

import type { Answer, Citation, Claim, Conflict, Support } from "../api/types";
import type { Numbers } from "../state/citations";
import { answerLine, countVerdicts, plural, VERDICT_MEANING, VERDICT_WORDS } from "../state/words";
import { Foreign } from "./basics";
import { VerdictMark } from "./icons";
import { Place } from "./place";
import { QuoteHead } from "./sources";

/** How many sentences have which verdict, as a bar and in words. */
export function Tally({ claims }: { claims: readonly Claim[] }) {
  const counts = useMemo(() => countVerdicts(claims), [claims]);
  const checked = counts.filter(([support]) => support !== "not_checkworthy");
  if (checked.length === 0) return null;
  return (
    <div className="tally">
      <div className="bar" aria-hidden="true">
        {checked.map(([support, count]) => (
          <i key={support} className={support} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul>
        {checked.map(([support, count]) => (
          <li key={support} className={support} title={VERDICT_MEANING[support]}>
            <VerdictMark support={support} />
            {count} {lower(support)}
          </li>
        ))}
      </ul>
    </div>
  );
}

const lower = (support: Support): string => VERDICT_WORDS[support].toLowerCase();

/** Said aloud by screen readers as sentences arrive. */
export function Announced({ claims, done }: { claims: readonly Claim[]; done: boolean }) {
  const last = claims.at(-1);
  const counts = countVerdicts(claims).map(([support, count]) => `${String(count)} ${lower(support)}`);
  const told = done
    ? `The answer is complete: ${counts.join(", ") || "no sentence"}.`
    : last
      ? `Sentence ${String(claims.length)}, ${lower(last.verdict.support)}: ${last.text}`
      : "";
  return (
    <p className="unseen" aria-live="polite" role="status">
      {told}
    </p>
  );
}

export function AnswerLine({ answer }: { answer: Answer }) {
  const line = answerLine(answer);
  if (line === null) return null;
  return <p className={line.doubtful ? "answer-line doubtful" : "answer-line"}>{line.text}</p>;
}

interface ConflictsProps {
  conflicts: readonly Conflict[];
  collection: string;
  numbers: Numbers;
}

/** Two sources that disagree, side by side: the reader has to weigh them. */
export function Conflicts({ conflicts, collection, numbers }: ConflictsProps) {
  if (conflicts.length === 0) return null;
  const side = (quote: Citation) => (
    <figure>
      <blockquote>
        <Foreign>{quote.quote}</Foreign>
      </blockquote>
      <figcaption>
        <QuoteHead quote={quote} collection={collection} number={numbers.get(quote.passage_id)} />
        <ShowPlace quote={quote} collection={collection} />
      </figcaption>
    </figure>
  );
  return (
    <section className="conflicts" aria-label="Conflicts">
      <h2>Your sources disagree</h2>
      {conflicts.map((each, index) => (
        <div key={index}>
          <p>
            <Foreign>{each.claim}</Foreign>
          </p>
          <div className="pair">
            {side(each.one)}
            <span className="versus">or</span>
            {side(each.other)}
          </div>
        </div>
      ))}
    </section>
  );
}

/** The quote in its document, once somebody wants to see it. */
function ShowPlace({ quote, collection }: { quote: Citation; collection: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details
      className="show-place"
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>Show it in the document</summary>
      {open && <Place collection={collection} quote={quote} tone="cited" />}
    </details>
  );
}

const NEAREST = /^nearest\b/;

/** An answer that was not given: what was searched, and what came nearest. */
export function Abstention({ answer }: { answer: Answer }) {
  if (answer.status !== "abstained" && answer.status !== "failed") return null;
  const searches = answer.trace.filter((each) => each.stage.endsWith("search") && each.note !== "");
  const queries = [...new Set(searches.map((each) => each.note))];
  const nearest = answer.degraded.filter((each) => NEAREST.test(each));
  return (
    <section className="abstention" aria-label="No answer">
      <p className="lead">
        <Foreign>{answer.text}</Foreign>
      </p>
      {queries.length > 0 && (
        <>
          <h2>What was searched</h2>
          <ul>
            {queries.map((each) => (
              <li key={each}>
                <Foreign>{each}</Foreign>
              </li>
            ))}
          </ul>
        </>
      )}
      {nearest.length > 0 && (
        <>
          <h2>What came nearest</h2>
          <ul>
            {nearest.map((each) => (
              <li key={each}>
                <Foreign>{each.replace(/^nearest, but probably no answer \([\d.]+\): /, "")}</Foreign>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="quiet">
        Ask in other words, or add a document that knows. Upheld does not guess.
      </p>
    </section>
  );
}

/** What the answer had to do without. */
export function Degraded({ notes }: { notes: readonly string[] }) {
  const rest = notes.filter((each) => !NEAREST.test(each));
  if (rest.length === 0) return null;
  return (
    <details className="note slim">
      <summary>{plural(rest.length, "note")} on how this was made</summary>
      <ul>
        {rest.map((each) => (
          <li key={each}>
            <Foreign>{each}</Foreign>
          </li>
        ))}
      </ul>
    </details>
  );
}
