/** A question under way: what the stream of events has told so far. */
import type { Answer, Claim, Problem } from "../api/types";
import type { SentEvent } from "../api/sse";

export interface FoundPassage {
  document_id: string;
  title: string;
  start: number;
  end: number;
  score: number;
  relevance: number | null;
}

/** A step of the method, as its event tells it. */
export interface Step {
  name: "plan" | "search" | "grade" | "draft" | "repair";
  stage: string;
  seconds?: number;
  questions?: unknown[];
  query?: string;
  passages?: FoundPassage[];
  action?: string;
  fault?: string;
  repaired?: string[];
}

export type Phase = "running" | "done" | "failed" | "cut" | "stopped";

export interface Run {
  phase: Phase;
  steps: Step[];
  claims: Claim[];
  revised: number[]; // numbers of claims that changed after they were shown, from 1
  stale: boolean; // the claims are of an earlier try
  answer: Answer | null;
  problem: Problem | null;
}

export type RunAction =
  | { type: "begin" }
  | { type: "retry" }
  | { type: "event"; event: SentEvent }
  | { type: "failed"; problem: Problem }
  | { type: "ended" } // the stream is over, with or without its last event
  | { type: "stopped" };

export const NEW_RUN: Run = {
  phase: "running",
  steps: [],
  claims: [],
  revised: [],
  stale: false,
  answer: null,
  problem: null,
};

const STEPS = new Set(["plan", "search", "grade", "draft", "repair"]);

export function reduceRun(run: Run, action: RunAction): Run {
  switch (action.type) {
    case "begin":
      return NEW_RUN;
    case "retry":
      // What was shown stays until the new run has a sentence of its own.
      return { ...NEW_RUN, claims: run.claims, stale: run.claims.length > 0 };
    case "event":
      return run.phase === "running" ? onEvent(run, action.event) : run;
    case "failed":
      return { ...run, phase: "failed", problem: action.problem };
    case "ended":
      return run.phase === "running" ? { ...run, phase: "cut" } : run;
    case "stopped":
      return run.phase === "running" ? { ...run, phase: "stopped" } : run;
  }
}

function onEvent(run: Run, { name, data }: SentEvent): Run {
  if (STEPS.has(name)) {
    const step = { ...(data as Omit<Step, "name">), name: name as Step["name"] };
    return { ...run, steps: [...run.steps, step] };
  }
  switch (name) {
    case "claim": {
      const before = run.stale ? [] : run.claims;
      return { ...run, stale: false, claims: [...before, data as Claim] };
    }
    case "claim_revised":
      return revise(run, data as { number: number; claim: Claim | null });
    case "final": {
      const answer = data as Answer;
      return { ...run, phase: "done", stale: false, answer, claims: answer.claims };
    }
    case "error":
      return { ...run, phase: "failed", problem: data as Problem };
    default:
      return run; // events of later versions
  }
}

function revise(run: Run, { number, claim }: { number: number; claim: Claim | null }): Run {
  const at = number - 1;
  const claims =
    claim === null
      ? run.claims.filter((_, index) => index !== at)
      : run.claims.map((each, index) => (index === at ? claim : each));
  return { ...run, claims, revised: [...run.revised, number] };
}
