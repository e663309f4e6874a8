/** An answer to read, complete or still growing: sentences on the left, their sources beside. */
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";

import type { Answer, Claim } from "../api/types";
import { Abstention, Announced, AnswerLine, Conflicts, Degraded, Tally } from "../parts/answer";
import { Foreign } from "../parts/basics";
import { Claims } from "../parts/claims";
import type { LocalText } from "../parts/place";
import { Sources } from "../parts/sources";
import { numbersOf, numbersOfClaims } from "../state/citations";

export interface ReadingProps {
  question: string;
  collection: string | null;
  claims: readonly Claim[];
  answer?: Answer | null;
  sourceIds?: readonly { id: string }[];
  locals?: readonly LocalText[];
  stale?: boolean;
  revised?: readonly number[];
  done: boolean;
  opened?: number | null | undefined; // the sentence that is open at first, from 0
  onOpen?: (index: number | null) => void;
  above?: ReactNode; // between the question and the answer
  below?: ReactNode;
}

/** On a wide screen there is room for sources: the first sentence is open at once. */
const isWide = (): boolean => window.matchMedia("(min-width: 1100px)").matches;

export function Reading(props: ReadingProps) {
  const { question, collection, claims, answer = null, done, stale, revised, locals } = props;
  const [chosen, setChosen] = useState<number | null | undefined>(props.opened);
  const selected = chosen === undefined ? (isWide() && claims.length > 0 ? 0 : null) : chosen;
  const { onOpen } = props;
  const select = useCallback(
    (index: number | null) => {
      setChosen(index);
      onOpen?.(index);
    },
    [onOpen],
  );
  const close = useCallback(() => {
    select(null);
  }, [select]);
  const known = answer?.sources ?? props.sourceIds;
  const numbers = useMemo(
    () => (known ? numbersOf(known) : numbersOfClaims(claims)),
    [known, claims],
  );
  const steady = useSteady(selected);
  const shown = selected === null ? null : (steady ?? selected);
  const claim = shown === null ? undefined : claims[shown];
  return (
    <div className={claim ? "reading open" : "reading"}>
      <article className="answer">
        <h1 className="question" dir="auto">
          <Foreign>{question}</Foreign>
        </h1>
        {props.above}
        {answer && <AnswerLine answer={answer} />}
        {answer?.status === "partial" && (
          <p className="note slim">This is not all: the time or the budget was used up before the end.</p>
        )}
        {answer && <Abstention answer={answer} />}
        <Tally claims={claims} />
        <Claims
          claims={claims}
          numbers={numbers}
          selected={selected}
          select={select}
          stale={stale ?? false}
          revised={revised ?? []}
        />
        <Announced claims={claims} done={done} />
        {claims.length > 0 && (
          <p className="keys quiet" aria-hidden="true">
            <kbd>j</kbd> <kbd>k</kbd> next and previous sentence · <kbd>Esc</kbd> close sources
          </p>
        )}
        {answer && collection !== null && (
          <Conflicts conflicts={answer.conflicts} collection={collection} numbers={numbers} />
        )}
        {answer && <Degraded notes={answer.degraded} />}
        {props.below}
      </article>
      {claim && shown !== null && (
        <Sources
          claim={claim}
          number={shown + 1}
          numbers={numbers}
          collection={collection}
          answerId={answer?.id}
          guarantee={answer?.guarantee}
          locals={locals}
          close={close}
        />
      )}
    </div>
  );
}

const STEADY_MS = 120;

/** The value once it rests: whoever runs through the sentences opens no source on the way. */
function useSteady<T>(value: T): T {
  const [steady, setSteady] = useState(value);
  const changed = useRef(-STEADY_MS);
  useEffect(() => {
    const now = performance.now();
    const wait = now - changed.current < STEADY_MS ? STEADY_MS : 0;
    changed.current = now;
    const timer = setTimeout(() => {
      setSteady(value);
    }, wait);
    return () => {
      clearTimeout(timer);
    };
  }, [value]);
  return steady;
}
