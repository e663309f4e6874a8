/** Answers that were given, newest first, to be searched and read again. */
import { useState } from "react";

import { asProblem, getJson, query } from "../api/client";
import type { AnswerLine, AnswerList, Problem } from "../api/types";
import { Foreign, Link, ProblemNote, Waiting } from "../parts/basics";
import { useJson } from "../state/load";
import { pathTo } from "../state/router";
import { ago } from "../state/words";

interface More {
  path: string;
  answers: AnswerLine[];
  next: string | null;
}

export function HistoryView() {
  const [written, setWritten] = useState("");
  const [words, setWords] = useState("");
  const [now] = useState(() => Date.now());
  const path = `/v1/answers${query({ q: words, limit: 20 })}`;
  const { data, problem, reload } = useJson<AnswerList>(path);
  const [more, setMore] = useState<More | null>(null);
  const [failed, setFailed] = useState<Problem | null>(null);
  const extra = more?.path === path ? more : null;
  const answers = [...(data?.answers ?? []), ...(extra?.answers ?? [])];
  const next = extra ? extra.next : (data?.next ?? null);

  const showMore = async (after: string): Promise<void> => {
    try {
      const page = await getJson<AnswerList>(`/v1/answers${query({ q: words, limit: 20, after })}`);
      const before = extra?.answers ?? [];
      setMore({ path, answers: [...before, ...page.answers], next: page.next ?? null });
      setFailed(null);
    } catch (error) {
      setFailed(asProblem(error));
    }
  };
  return (
    <section className="history">
      <header className="view-head">
        <h1>History</h1>
        <form
          role="search"
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            setWords(written.trim());
          }}
        >
          <input
            type="search"
            value={written}
            placeholder="Words of a question or an answer"
            aria-label="Search the history"
            maxLength={200}
            onChange={(event) => {
              setWritten(event.target.value);
              if (event.target.value === "") setWords("");
            }}
          />
          <button type="submit" className="button">
            Search
          </button>
        </form>
      </header>
      {problem && <ProblemNote problem={problem} retry={reload} />}
      {data === null && !problem && <Waiting>Opening the history</Waiting>}
      {data && answers.length === 0 && (
        <p className="empty-line">
          {words === "" ? "Nobody has asked anything yet." : `Nothing has the words “${words}”.`}
        </p>
      )}
      <ul className="table" aria-label="Answers">
        {answers.map((each) => (
          <li key={each.id} className="past">
            <Link to={pathTo("read", each.collection, each.id)} className="past-question">
              <Foreign>{each.question}</Foreign>
            </Link>
            <p className="past-answer">
              <Foreign>{each.text ?? ""}</Foreign>
            </p>
            <p className="quiet">
              {ago(each.created_at, now)} · {each.collection} · {each.method}
            </p>
          </li>
        ))}
      </ul>
      {failed && <ProblemNote problem={failed} />}
      {next !== null && (
        <button type="button" className="button" onClick={() => void showMore(next)}>
          Show more
        </button>
      )}
    </section>
  );
}
