/** One question, two methods, side by side with cost and time. */
import { useState } from "react";

import { asProblem, sendJson } from "../api/client";
import type { Answer, Problem } from "../api/types";
import { AnswerLine, Abstention, Tally } from "../parts/answer";
import { Foreign, Link, ProblemNote, Waiting } from "../parts/basics";
import { VerdictMark } from "../parts/icons";
import { useJson } from "../state/load";
import { METHODS } from "../state/methods";
import { pathTo } from "../state/router";
import { VERDICT_WORDS } from "../state/words";
import { Cost, Waterfall } from "./inside";

type Side = { method: string } & ({ answer: Answer } | { problem: Problem } | { waiting: true });

export function CompareView() {
  const collections = useJson<{ collections: string[] }>("/v1/collections");
  const methods = useJson<{ data: { id: string }[] }>("/v1/models");
  const names = (methods.data?.data ?? []).map(({ id }) => id).filter((id) => !id.includes("@"));
  const [question, setQuestion] = useState("");
  const [collection, setCollection] = useState("");
  const [chosen, setChosen] = useState<[string, string]>(["rag", "upheld"]);
  const [sides, setSides] = useState<Side[]>([]);
  const where = collection || (collections.data?.collections[0] ?? "default");

  const compare = async (): Promise<void> => {
    setSides(chosen.map((method) => ({ method, waiting: true })));
    // One after the other: together they would slow each other, and their times would say nothing.
    for (const [index, method] of chosen.entries()) {
      const side = await answered(question.trim(), where, method);
      setSides((before) => before.map((each, at) => (at === index ? side : each)));
    }
  };
  const pick = (index: 0 | 1) => (
    <select
      aria-label={index === 0 ? "First method" : "Second method"}
      value={chosen[index]}
      onChange={(event) => {
        const next: [string, string] = [...chosen];
        next[index] = event.target.value;
        setChosen(next);
      }}
    >
      {names.map((each) => (
        <option key={each} value={each}>
          {each}
          {METHODS[each] ? `: ${METHODS[each]}` : ""}
        </option>
      ))}
    </select>
  );
  return (
    <section className="compare">
      <h1>Compare two methods</h1>
      <form
        className="compare-form"
        onSubmit={(event) => {
          event.preventDefault();
          void compare();
        }}
      >
        <input
          value={question}
          maxLength={4000}
          aria-label="Your question"
          placeholder="One question for both"
          onChange={(event) => {
            setQuestion(event.target.value);
          }}
        />
        <div className="row wrap">
          <select
            aria-label="Collection"
            value={where}
            onChange={(event) => {
              setCollection(event.target.value);
            }}
          >
            {(collections.data?.collections ?? [where]).map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
          {pick(0)}
          {pick(1)}
          <button type="submit" className="button main" disabled={question.trim() === ""}>
            Compare
          </button>
        </div>
      </form>
      <div className="two">
        {sides.map((side, index) => (
          <SideView key={index} side={side} collection={where} />
        ))}
      </div>
    </section>
  );
}

async function answered(question: string, collection: string, method: string): Promise<Side> {
  try {
    const body = { question, collection, method };
    return { method, answer: await sendJson<Answer>("POST", "/v1/answers", body) };
  } catch (error) {
    return { method, problem: asProblem(error) };
  }
}

function SideView({ side, collection }: { side: Side; collection: string }) {
  return (
    <article className="side" aria-label={side.method}>
      <h2>{side.method}</h2>
      {"waiting" in side && <Waiting>Answering</Waiting>}
      {"problem" in side && <ProblemNote problem={side.problem} />}
      {"answer" in side && (
        <>
          <AnswerLine answer={side.answer} />
          <Abstention answer={side.answer} />
          <Tally claims={side.answer.claims} />
          <ol className="claims compact">
            {side.answer.claims.map((claim, index) => (
              <li key={index} className={`claim ${claim.verdict.support}`}>
                <VerdictMark support={claim.verdict.support} />
                <span className="sentence">
                  <span className="unseen">{VERDICT_WORDS[claim.verdict.support]}: </span>
                  <Foreign>{claim.text}</Foreign>
                </span>
              </li>
            ))}
          </ol>
          <p>
            <Link to={pathTo("read", collection, side.answer.id)}>Read with sources</Link>
          </p>
          <Cost answer={side.answer} />
          <Waterfall trace={side.answer.trace} />
        </>
      )}
    </article>
  );
}
