/** Ask a question, and watch its answer being made. */
import { useEffect, useState, type KeyboardEvent } from "react";

import { query } from "../api/client";
import type { AnswerList } from "../api/types";
import { Foreign, Link, ProblemNote, Waiting } from "../parts/basics";
import { Steps } from "../parts/steps";
import { useAsking, type Asked, type Asking } from "../state/asking";
import { handOver } from "../state/handover";
import { useJson } from "../state/load";
import { METHODS } from "../state/methods";
import { navigate, pathTo } from "../state/router";
import { FirstRun } from "./first_run";
import { Reading } from "./reading";

export function AskView() {
  const collections = useJson<{ collections: string[] }>("/v1/collections");
  const asking = useAsking();
  if (asking.asked) return <Live asking={asking} asked={asking.asked} />;
  if (collections.problem) {
    return <ProblemNote problem={collections.problem} retry={collections.reload} />;
  }
  if (collections.data === null) return <Waiting>Opening</Waiting>;
  const names = collections.data.collections;
  if (names.length === 0) return <FirstRun ask={asking.ask} />;
  return (
    <section className="ask">
      <h1>Ask your documents</h1>
      <p className="lead">Every sentence of the answer is compared with its source, and marked.</p>
      <AskForm collections={names} ask={asking.ask} />
      <Recent />
    </section>
  );
}

/** The last questions, to be read again. */
function Recent() {
  const { data } = useJson<AnswerList>(`/v1/answers${query({ limit: 20 })}`);
  if (!data || data.answers.length === 0) return null;
  const newest = new Map([...data.answers].reverse().map((each) => [each.question, each]));
  return (
    <section className="recent" aria-label="Asked before">
      <h2>Asked before</h2>
      <ul>
        {[...newest.values()].reverse().slice(0, 4).map((each) => (
          <li key={each.id}>
            <Link to={pathTo("read", each.collection, each.id)}>
              <Foreign>{each.question}</Foreign>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Live({ asking, asked }: { asking: Asking; asked: Asked }) {
  const { run, began, stop, retry } = asking;
  const [opened, setOpened] = useState<number | null | undefined>(undefined);
  const { answer } = run;
  const collection = asked.collection ?? "default";
  useEffect(() => {
    if (answer === null) return;
    handOver({ answer, run, began, opened });
    navigate(pathTo("read", collection, answer.id), "replace");
  }, [answer, run, began, opened, collection]);
  return (
    <Reading
      question={asked.question}
      collection={collection}
      claims={run.claims}
      stale={run.stale}
      revised={run.revised}
      done={run.phase === "done"}
      onOpen={setOpened}
      above={
        <div className="live">
          <Steps run={run} began={began} />
          {run.phase === "running" && (
            <button type="button" className="button small" onClick={stop}>
              Stop
            </button>
          )}
          {run.problem && <ProblemNote problem={run.problem} retry={retry} />}
          {(run.phase === "cut" || run.phase === "stopped") && (
            <div className="note" role="alert">
              <p>
                <strong>{run.phase === "cut" ? "The connection broke." : "You stopped it."}</strong>{" "}
                {run.claims.length > 0
                  ? "The sentences below were verified; the answer is not complete."
                  : "Nothing was verified yet."}
              </p>
              <button type="button" className="button small" onClick={retry}>
                {run.phase === "cut" ? "Try again" : "Ask again"}
              </button>{" "}
              <Link to="/">Another question</Link>
            </div>
          )}
        </div>
      }
    />
  );
}

interface FormProps {
  collections: readonly string[];
  suggestion?: string; // a question to begin with
  ask: (asked: Asked) => void;
}

export function AskForm({ collections, suggestion = "", ask }: FormProps) {
  const [question, setQuestion] = useState(suggestion);
  const first = collections.includes("default") ? "default" : (collections[0] ?? "default");
  const [collection, setCollection] = useState(first);
  const [method, setMethod] = useState("");
  const [limit, setLimit] = useState("");
  const [supportedOnly, setSupportedOnly] = useState(false);
  const methods = useJson<{ data: { id: string }[] }>("/v1/models");
  const names = (methods.data?.data ?? []).map(({ id }) => id).filter((id) => !id.includes("@"));

  const send = (): void => {
    if (question.trim() === "") return;
    ask({
      question: question.trim(),
      collection,
      ...(method === "" ? {} : { method }),
      ...(limit === "" ? {} : { budget: { seconds: Number(limit) } }),
      keep_supported: supportedOnly,
    });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      send();
    }
  };
  return (
    <form
      className="ask-form"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label="Your question"
        placeholder="What would you like to know?"
        rows={2}
        maxLength={4000}
        value={question}
        onChange={(event) => {
          setQuestion(event.target.value);
        }}
        onKeyDown={onKey}
      />
      <div className="ask-options">
        <label>
          <span>In</span>
          <select
            value={collection}
            onChange={(event) => {
              setCollection(event.target.value);
            }}
          >
            {collections.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label>
          <span>Method</span>
          <select
            value={method}
            onChange={(event) => {
              setMethod(event.target.value);
            }}
          >
            <option value="">standard</option>
            {names.map((each) => (
              <option key={each} value={each}>
                {each}
                {METHODS[each] ? `: ${METHODS[each]}` : ""}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Time</span>
          <select
            value={limit}
            onChange={(event) => {
              setLimit(event.target.value);
            }}
          >
            <option value="">as needed</option>
            <option value="5">5 seconds</option>
            <option value="20">20 seconds</option>
            <option value="60">1 minute</option>
            <option value="300">5 minutes</option>
          </select>
        </label>
        <label className="tick">
          <input
            type="checkbox"
            checked={supportedOnly}
            onChange={(event) => {
              setSupportedOnly(event.target.checked);
            }}
          />
          <span>Supported sentences only</span>
        </label>
        <button type="submit" className="button main" disabled={question.trim() === ""}>
          Ask
        </button>
      </div>
    </form>
  );
}
