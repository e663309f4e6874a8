/** A claim drawn at random, to be judged without its verdict: only these calibrate. */
import { useEffect, useRef, useState } from "react";

import { asProblem, sendJson } from "../api/client";
import type { Citation, DrawnClaim, Problem, ReviewCounts } from "../api/types";
import { Foreign, Link, ProblemNote, Waiting } from "../parts/basics";
import { isWriting } from "../parts/claims";
import { Place } from "../parts/place";
import { useJson } from "../state/load";
import { navigate, pathTo } from "../state/router";
import { plural } from "../state/words";

export function ReviewView({ collection }: { collection: string | null }) {
  const found = useJson<{ collections: string[] }>("/v1/collections");
  const names = found.data?.collections ?? [];
  const current = collection ?? (names.includes("default") ? "default" : names[0]);
  return (
    <section className="review">
      <header className="view-head">
        <h1>Judge a sentence</h1>
        {names.length > 1 && current !== undefined && (
          <select
            aria-label="Collection"
            value={current}
            onChange={(event) => {
              navigate(pathTo("review", event.target.value));
            }}
          >
            {names.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </header>
      <p className="lead">
        One sentence of one answer, drawn by lot, without its mark. What you say here, and nothing
        else, measures how often marks are right.
      </p>
      {found.problem && <ProblemNote problem={found.problem} retry={found.reload} />}
      {current !== undefined && <Draw key={current} collection={current} />}
      {found.data && names.length === 0 && <NothingLeft />}
    </section>
  );
}

function NothingLeft() {
  return (
    <div className="empty-line">
      <p>There is no sentence left to judge. One of each new answer is drawn.</p>
      <Link className="button" to="/">
        Ask something new
      </Link>
    </div>
  );
}

function Draw({ collection }: { collection: string }) {
  const path = `/v1/collections/${encodeURIComponent(collection)}/reviews`;
  const counts = useJson<ReviewCounts>(path);
  const [drawn, setDrawn] = useState<DrawnClaim | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [turn, setTurn] = useState(0);
  const [said, setSaid] = useState("");
  useEffect(() => {
    let left = false;
    sendJson<DrawnClaim>("POST", path).then(
      (claim) => {
        if (!left) setDrawn(claim);
      },
      (error: unknown) => {
        if (!left) setProblem(asProblem(error));
      },
    );
    return () => {
      left = true;
    };
  }, [path, turn]);
  const judge = async (supported: boolean | null): Promise<void> => {
    if (drawn === null) return;
    try {
      await sendJson("POST", `${path}/${drawn.id}`, { supported });
      setSaid(supported === null ? "Skipped." : "Thank you, counted.");
      setDrawn(null);
      setTurn((count) => count + 1);
      counts.reload();
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  if (problem?.status === 403) {
    const help = "Labels of a part would hold for that part alone.";
    return <ProblemNote problem={{ ...problem, detail: "Only a key that sees all documents may judge.", help }} />;
  }
  return (
    <>
      <p className="quiet" role="status">
        {said} {counts.data && `${plural(counts.data.judged, "sentence")} judged, ${String(counts.data.skipped)} skipped.`}
      </p>
      {problem?.status === 404 && drawn === null && <NothingLeft />}
      {problem && problem.status !== 404 && <ProblemNote problem={problem} />}
      {drawn === null && problem === null && <Waiting>Drawing a sentence</Waiting>}
      {drawn && <DrawnView key={drawn.id} drawn={drawn} collection={collection} judge={(v) => void judge(v)} />}
    </>
  );
}

interface DrawnProps {
  drawn: DrawnClaim;
  collection: string;
  judge: (supported: boolean | null) => void;
}

function DrawnView({ drawn, collection, judge }: DrawnProps) {
  const [at, setAt] = useState(0);
  const latest = useRef(judge);
  useEffect(() => {
    latest.current = judge;
  });
  useEffect(() => {
    const answers: Record<string, boolean | null | undefined> = { y: true, n: false, s: null };
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      const said = answers[event.key];
      if (said !== undefined) latest.current(said);
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
    };
  }, []);
  const quote = drawn.quotes[at];
  const shown: Citation | null = quote
    ? { ...quote, passage_id: "", support: "not_checked", heading_path: [], title: "", uri: "", page: null }
    : null;
  return (
    <div className="drawn">
      <div className="drawn-claim">
        <p className="quiet">
          Somebody asked: <Foreign>{drawn.question}</Foreign>
        </p>
        <blockquote className="sentence">
          <Foreign>{drawn.text}</Foreign>
        </blockquote>
        <p>
          <b>Do the marked words say this?</b>
        </p>
        <div className="row wrap">
          <button type="button" className="button main" onClick={() => { judge(true); }}>
            Yes <kbd>y</kbd>
          </button>
          <button type="button" className="button" onClick={() => { judge(false); }}>
            No <kbd>n</kbd>
          </button>
          <button type="button" className="button quiet-button" onClick={() => { judge(null); }}>
            Skip <kbd>s</kbd>
          </button>
        </div>
        <p className="quiet">Judge by the documents, not by what you know.</p>
      </div>
      <div className="drawn-source">
        {drawn.quotes.length > 1 && (
          <div className="chips" role="group" aria-label="Quotes">
            {drawn.quotes.map((each, index) => (
              <button
                type="button"
                key={index}
                className="chip"
                aria-pressed={index === at}
                onClick={() => {
                  setAt(index);
                }}
              >
                <Foreign>{each.document_id}</Foreign>
              </button>
            ))}
          </div>
        )}
        {shown && <Place collection={collection} quote={shown} tone="cited" />}
      </div>
    </div>
  );
}
