/** The sentences of an answer, each with its verdict; `j` and `k` walk them. */
import { memo, useCallback, useEffect, useRef, type KeyboardEvent } from "react";

import type { Claim } from "../api/types";
import { marksOf, type Marks, type Numbers } from "../state/citations";
import { reasonSentence, VERDICT_WORDS } from "../state/words";
import { Foreign } from "./basics";
import { VerdictMark } from "./icons";

interface ClaimsProps {
  claims: readonly Claim[];
  numbers: Numbers;
  selected: number | null; // from 0
  select: (index: number) => void;
  stale?: boolean;
  revised?: readonly number[];
}

export function Claims({ claims, numbers, selected, select, stale, revised = [] }: ClaimsProps) {
  const list = useRef<HTMLOListElement>(null);
  useWalk(claims.length, selected, (index) => {
    select(index);
    const row = list.current?.children[index]?.querySelector<HTMLElement>("[role=button]");
    row?.focus({ preventScroll: true });
  });
  useEffect(() => {
    // On a phone the sources come up from below: the sentence stays in view above them.
    if (selected !== null) list.current?.children[selected]?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  return (
    <ol className={stale ? "claims stale" : "claims"} ref={list} aria-label="Sentences of the answer">
      {claims.map((claim, index) => (
        <ClaimRow
          key={index}
          claim={claim}
          index={index}
          numbers={numbers}
          selected={index === selected}
          revised={revised.includes(index + 1)}
          select={select}
        />
      ))}
    </ol>
  );
}

interface RowProps {
  claim: Claim;
  index: number;
  numbers: Numbers;
  selected: boolean;
  revised: boolean;
  select: (index: number) => void;
}

const ClaimRow = memo(function ClaimRow(props: RowProps) {
  const { claim, index, numbers, selected, revised, select } = props;
  const { support } = claim.verdict;
  const choose = useCallback(() => {
    // Somebody who marks words with the mouse wants to copy them.
    if (window.getSelection()?.isCollapsed !== false) select(index);
  }, [select, index]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    select(index);
  };
  const marks = marksOf(claim, numbers);
  const telling = support !== "supported" && support !== "not_checkworthy";
  return (
    <li className={`claim ${support}${selected ? " selected" : ""}`}>
      <VerdictMark support={support} />
      <div role="button" tabIndex={0} aria-pressed={selected} onClick={choose} onKeyDown={onKey}>
        <span className="unseen">{VERDICT_WORDS[support]}: </span>
        <span className="sentence" dir="auto">
          <Foreign>{claim.text}</Foreign>
        </span>
        <CitationMarks marks={marks} />
        {revised && <span className="tag">changed after a second look</span>}
        {(telling || selected) && support !== "not_checkworthy" && (
          <span className="reason">
            <b>{VERDICT_WORDS[support]}.</b> <Foreign>{reasonSentence(claim.verdict)}</Foreign>
            {marks.fixed && marks.own.length > 0 && (
              <> The answer cited source {marks.own.join(" and ")}; the words are in {marks.fixed.join(" and ")}.</>
            )}
          </span>
        )}
      </div>
    </li>
  );
});

function CitationMarks({ marks: { own, fixed } }: { marks: Marks }) {
  if (own.length === 0 && fixed === null) return null;
  return (
    <span className="cites">
      {fixed !== null && own.length > 0 && (
        <del aria-label={`cited ${own.join(", ")}`}>{own.join(" ")}</del>
      )}
      {(fixed ?? own).map((each) => (
        <sup key={each} className={fixed ? "fixed" : ""}>
          {each}
        </sup>
      ))}
      {fixed !== null && <span className="unseen">, citation fixed</span>}
    </span>
  );
}

/** `j` and `k` anywhere on the page, but where somebody writes. */
function useWalk(count: number, selected: number | null, go: (index: number) => void): void {
  const latest = useRef({ count, selected, go });
  useEffect(() => {
    latest.current = { count, selected, go };
  });
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
      const now = latest.current;
      if (step === 0 || now.count === 0) return;
      event.preventDefault();
      const next = now.selected === null ? (step > 0 ? 0 : now.count - 1) : now.selected + step;
      now.go(Math.min(now.count - 1, Math.max(0, next)));
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
    };
  }, []);
}

export function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}
