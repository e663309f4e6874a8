/** A stored answer at its permanent address. */
import { useState } from "react";

import type { Answer } from "../api/types";
import { Link, ProblemNote, Waiting } from "../parts/basics";
import { CopyBar } from "../parts/copy";
import { Steps } from "../parts/steps";
import { takeOver } from "../state/handover";
import { useJson } from "../state/load";
import { pathTo } from "../state/router";
import { Reading } from "./reading";

export function ReadView({ collection, id }: { collection: string; id: string }) {
  const [handed] = useState(() => takeOver(id));
  const path = handed ? null : `/v1/answers/${encodeURIComponent(id)}`;
  const { data, problem, reload } = useJson<Answer>(path);
  const answer = handed?.answer ?? data;
  if (problem?.status === 404) return <Gone />;
  if (problem) return <ProblemNote problem={problem} retry={reload} />;
  if (answer === null) return <Waiting>Opening the answer</Waiting>;
  return (
    <Reading
      question={answer.question}
      collection={collection}
      claims={answer.claims}
      answer={answer}
      done
      {...(handed ? { opened: handed.opened, revised: handed.run.revised } : {})}
      above={handed && <Steps run={handed.run} began={handed.began} />}
      below={
        <footer className="answer-foot">
          <CopyBar answer={answer} collection={collection} />
          <p className="quiet">
            Method <b>{answer.method}</b> ·{" "}
            <Link to={pathTo("inside", collection, answer.id)}>Look inside</Link> ·{" "}
            <Link to={pathTo("review", collection)}>Judge a random sentence</Link> ·{" "}
            <Link to="/">Ask something else</Link>
          </p>
        </footer>
      }
    />
  );
}

function Gone() {
  return (
    <section className="empty">
      <h1>This answer is gone</h1>
      <p>
        A document that it quotes was deleted, and the answer with it: nothing stays that its source
        no longer says. It may also be under another key.
      </p>
      <p>
        <Link className="button" to="/">
          Ask again
        </Link>
      </p>
    </section>
  );
}
