/** The run behind an answer, step by step, as a waterfall. */
import type { Answer, TraceEvent } from "../api/types";
import { Foreign, Link, ProblemNote, Waiting } from "../parts/basics";
import { useJson } from "../state/load";
import { pathTo } from "../state/router";
import { plural, seconds, stageWords } from "../state/words";

export function InsideView({ collection, id }: { collection: string; id: string }) {
  const { data, problem, reload } = useJson<Answer>(`/v1/answers/${encodeURIComponent(id)}`);
  if (problem) return <ProblemNote problem={problem} retry={reload} />;
  if (data === null) return <Waiting>Opening the run</Waiting>;
  return (
    <section className="inside">
      <p className="quiet">
        <Link to={pathTo("read", collection, id)}>The answer</Link> › Look inside
      </p>
      <h1>
        <Foreign>{data.question}</Foreign>
      </h1>
      <Cost answer={data} />
      <Waterfall trace={data.trace} />
      <p className="quiet">
        Made by <Foreign>{data.pipeline}</Foreign>
      </p>
      <p>
        <Link className="button small" to="/compare">
          Compare two methods
        </Link>
      </p>
    </section>
  );
}

export function runSeconds(trace: readonly TraceEvent[]): number {
  return trace.reduce((longest, each) => Math.max(longest, each.start + each.seconds), 0);
}

export function Cost({ answer }: { answer: Answer }) {
  const { usage, trace } = answer;
  const facts: [string, string][] = [
    ["Method", answer.method],
    ["Time", seconds(runSeconds(trace))],
    ["Searches", String(usage.searches)],
    ["Calls of the language model", String(usage.completions)],
    ["Tokens", (usage.prompt_tokens + usage.completion_tokens).toLocaleString("en")],
    ["Sentence pairs compared", usage.pairs_checked.toLocaleString("en")],
  ];
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function depthOf(event: TraceEvent, parents: ReadonlyMap<number, TraceEvent>): number {
  let depth = 0;
  let parent = event.parent ?? null;
  while (parent !== null && depth < 8) {
    depth += 1;
    parent = parents.get(parent)?.parent ?? null;
  }
  return depth;
}

export function Waterfall({ trace }: { trace: readonly TraceEvent[] }) {
  const whole = Math.max(runSeconds(trace), 0.001);
  const byId = new Map(trace.map((each) => [each.id, each]));
  const ordered = [...trace].sort((a, b) => a.start - b.start || a.id - b.id);
  const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
  return (
    <ol className="waterfall" aria-label={`${plural(trace.length, "step")} in ${seconds(whole)}`}>
      {ordered.map((each) => (
        <li key={each.id} className={each.error ? "failed" : ""}>
          <div className="stage" style={{ paddingInlineStart: `${String(depthOf(each, byId) * 14)}px` }}>
            {stageWords(each.stage)}
          </div>
          <div className="lane" aria-hidden="true">
            <i
              style={{
                left: percent(each.start / whole),
                width: `max(3px, ${percent(each.seconds / whole)})`,
              }}
            />
          </div>
          <time>{seconds(each.seconds)}</time>
          {(each.note !== "" || each.error) && (
            <p className="quiet">
              <Foreign>{each.error ?? each.note}</Foreign>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
