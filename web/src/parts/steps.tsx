/** What the method does, as it happens, with times. */
import { useEffect, useState } from "react";

import type { Run, Step } from "../state/run";
import { plural, seconds, stageWords, stepDetail } from "../state/words";
import { Foreign } from "./basics";
import { DoneIcon } from "./icons";

export function Steps({ run, began }: { run: Run; began: number }) {
  const running = run.phase === "running";
  return (
    <details className="steps" open={running || undefined}>
      <summary>
        {running ? "Working" : plural(run.steps.length, "step")}
        {running && <Clock began={began} />}
      </summary>
      <ol>
        {run.steps.map((step, index) => (
          <StepRow step={step} key={index} />
        ))}
        {running && (
          <li className="now">
            <span className="dots" aria-hidden="true">
              <i />
              <i />
              <i />
            </span>
            {run.claims.length > 0 && !run.stale
              ? `${plural(run.claims.length, "sentence")} verified, writing on`
              : run.steps.length === 0
                ? "Starting"
                : "Going on"}
          </li>
        )}
      </ol>
    </details>
  );
}

function StepRow({ step }: { step: Step }) {
  const detail = stepDetail(step);
  return (
    <li>
      <DoneIcon />
      <div>
        <span>{stageWords(step.stage)}</span>
        {detail !== "" && (
          <span className="detail">
            <Foreign>{detail}</Foreign>
          </span>
        )}
        {step.passages && step.passages.length > 0 && <Found step={step} />}
        {step.repaired && step.repaired.length > 0 && (
          <span className="detail">
            now: <Foreign>{step.repaired.join(" ")}</Foreign>
          </span>
        )}
      </div>
      {step.seconds !== undefined && <time>{seconds(step.seconds)}</time>}
    </li>
  );
}

function Found({ step }: { step: Step }) {
  const best = new Map<string, { title: string; relevance: number | null }>();
  for (const { document_id, title, relevance } of step.passages ?? []) {
    if (!best.has(document_id)) best.set(document_id, { title: title || document_id, relevance });
  }
  return (
    <ul className="found">
      {[...best].slice(0, 6).map(([id, { title, relevance }]) => (
        <li key={id}>
          <Foreign>{title}</Foreign>
          {relevance !== null && ` ${relevance.toFixed(2)}`}
        </li>
      ))}
      {best.size > 6 && <li>and {best.size - 6} more</li>}
    </ul>
  );
}

function Clock({ began }: { began: number }) {
  const [now, setNow] = useState(began);
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(performance.now());
    }, 200);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return <time>{seconds(Math.max(0, now - began) / 1000)}</time>;
}
