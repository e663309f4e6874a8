import { describe, expect, it } from "vitest";

import { EventParser } from "../api/sse";
import { NEW_RUN, reduceRun, type Run, type RunAction } from "./run";
import { answer, claim } from "./samples";

const event = (name: string, data: unknown): RunAction => ({ type: "event", event: { name, data } });
const play = (...actions: RunAction[]): Run => actions.reduce(reduceRun, NEW_RUN);

describe("EventParser", () => {
  it("does not care where chunks end", () => {
    const text = ': still here\n\nevent: claim\ndata: {"text": "ü🐦"}\nid: 1\n\nevent: final\ndata: {}\n\n';
    for (const size of [1, 3, 7, 1000]) {
      const parser = new EventParser();
      const found = [];
      for (let at = 0; at < text.length; at += size) found.push(...parser.push(text.slice(at, at + size)));
      expect(found).toEqual([
        { name: "claim", data: { text: "ü🐦" } },
        { name: "final", data: {} },
      ]);
    }
  });
});

describe("reduceRun", () => {
  const [one, two] = [claim("One."), claim("Two.")];

  it("collects steps and sentences, and ends with the answer", () => {
    const whole = answer([one, two]);
    const run = play(
      event("search", { stage: "search", query: "why", passages: [], seconds: 0.1 }),
      event("claim", one),
      event("later_version", {}),
      event("final", whole),
    );
    expect(run.steps.map(({ name, stage }) => [name, stage])).toEqual([["search", "search"]]);
    expect(run).toMatchObject({ phase: "done", answer: whole, claims: [one, two] });
  });

  it("says which sentence changed, and drops one that is gone", () => {
    const run = play(event("claim", one), event("claim", two), event("claim_revised", { number: 1, claim: two }));
    expect(run.claims).toEqual([two, two]);
    expect(run.revised).toEqual([1]);
    expect(reduceRun(run, event("claim_revised", { number: 2, claim: null })).claims).toEqual([two]);
  });

  it("keeps what was shown when the stream is cut, until the next try has a sentence", () => {
    const cut = play(event("claim", one), { type: "ended" });
    expect(cut).toMatchObject({ phase: "cut", claims: [one] });
    const again = reduceRun(cut, { type: "retry" });
    expect(again).toMatchObject({ phase: "running", stale: true, claims: [one], steps: [] });
    expect(reduceRun(again, event("claim", two))).toMatchObject({ stale: false, claims: [two] });
  });

  it("does nothing after its end", () => {
    const stopped = play({ type: "stopped" });
    expect(reduceRun(stopped, event("claim", one))).toBe(stopped);
    const done = play(event("final", answer([one])));
    expect(reduceRun(done, { type: "ended" })).toBe(done);
    const problem = { status: 503, code: "service_full", detail: "Full.", help: "" };
    expect(play(event("error", problem))).toMatchObject({ phase: "failed", problem });
  });
});
