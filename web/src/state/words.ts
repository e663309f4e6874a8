/** Verdicts, probabilities and steps in words that need no glossary. */
import type { Answer, Claim, Guarantee, Support, Verdict } from "../api/types";
import type { Step } from "./run";

export const VERDICT_WORDS: Record<Support, string> = {
  supported: "Supported",
  contradicted: "Contradicted",
  unsupported: "Not supported",
  not_checked: "Not checked",
  not_checkworthy: "Nothing to check",
};

/** For the reader who wonders what a mark means. */
export const VERDICT_MEANING: Record<Support, string> = {
  supported: "A source says this.",
  contradicted: "A source says something else.",
  unsupported: "No source says this.",
  not_checked: "It could not be compared with the sources.",
  not_checkworthy: "A heading, a question or a greeting: it states nothing.",
};

/** The reason of a verdict as a sentence of its own. */
export function reasonSentence(verdict: Verdict): string {
  const reason = verdict.reason.trim();
  if (reason === "") return VERDICT_MEANING[verdict.support];
  const first = reason.slice(0, 1).toUpperCase() + reason.slice(1);
  return /[.!?…]$/u.test(first) ? first : `${first}.`;
}

function ofHundred(probability: number): number {
  return Math.min(99, Math.max(1, Math.round(probability * 100)));
}

/** How often sentences with this score hold, as a count that people can picture. */
export function probabilityWords(verdict: Verdict): string {
  const { probability, support, cause } = verdict;
  if (cause === "quoted") return "The sentence is quoted, so there is nothing to estimate.";
  if (probability === null || probability === undefined) {
    return "No probability was estimated for this sentence.";
  }
  const count = ofHundred(probability);
  if (support === "supported") {
    return `Of 100 sentences marked like this, about ${String(count)} hold.`;
  }
  return `Of 100 sentences that score like this, only about ${String(count)} are upheld by their sources.`;
}

export function guaranteeWords(guarantee: Guarantee | null | undefined): string {
  if (!guarantee) return "No guarantee has been fitted for these documents.";
  const wrong = Math.round(guarantee.alpha * 100);
  const sure = Math.round((1 - guarantee.delta) * 100);
  return (
    `At most ${String(wrong)} of 100 sentences marked as supported are not: ` +
    `with ${String(sure)} percent confidence.`
  );
}

/** Whether the answer as a whole answers the question. */
export function answerLine(answer: Answer): { text: string; doubtful: boolean } | null {
  if (answer.status === "abstained" || answer.status === "failed") return null;
  const p = answer.p_right;
  if (p === null || p === undefined) return null;
  const about = `about ${String(ofHundred(p))} in 100`;
  if (answer.doubtful) {
    return { doubtful: true, text: `Doubtful: it may not answer your question (${about}).` };
  }
  const how = p >= 0.85 ? "Very likely" : p >= 0.7 ? "Likely" : "Probably";
  return { doubtful: false, text: `${how} answers your question (${about}).` };
}

export function countVerdicts(claims: readonly Claim[]): [Support, number][] {
  const counts = new Map<Support, number>();
  for (const { verdict } of claims) {
    counts.set(verdict.support, (counts.get(verdict.support) ?? 0) + 1);
  }
  const order = Object.keys(VERDICT_WORDS) as Support[];
  return order.flatMap((each): [Support, number][] => {
    const count = counts.get(each);
    return count === undefined ? [] : [[each, count]];
  });
}

const STAGES: Record<string, string> = {
  standalone: "Made the question stand alone",
  plan: "Divided the question",
  next_question: "Chose the next question",
  rewrite: "Put the question in other words",
  revise: "Revised the question",
  search: "Searched the documents",
  web_search: "Searched the web",
  grade: "Graded the passages",
  rerank: "Ordered the passages by relevance",
  action: "Decided how to go on",
  select: "Chose what to use",
  write: "Wrote a draft",
  short_answer: "Wrote a short answer",
  repair: "Repaired a sentence",
  refine: "Refined the draft",
  restate: "Restated a sentence",
  verify: "Compared each sentence with its sources",
  embed: "Made vectors",
  quote: "Chose sentences to quote",
};

export function stageWords(stage: string): string {
  return STAGES[stage] ?? stage.replaceAll("_", " ").replace(/^./u, (c) => c.toUpperCase());
}

/** What a step found, in a few words. */
export function stepDetail(step: Step): string {
  if (step.query !== undefined) {
    const count = step.passages?.length ?? 0;
    return `“${step.query}”: ${plural(count, "passage")}`;
  }
  if (step.action !== undefined) return `decision: ${step.action}`;
  if (step.fault !== undefined) return step.fault;
  if (step.questions !== undefined) return step.questions.map(questionText).join(" · ");
  return "";
}

function questionText(value: unknown): string {
  if (typeof value === "string") return value;
  const text = (value as { text?: unknown } | null)?.text;
  return typeof text === "string" ? text : "";
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

export function seconds(value: number): string {
  return value < 10 ? `${value.toFixed(value < 1 ? 2 : 1)} s` : `${String(Math.round(value))} s`;
}

export function ago(when: string, now: number): string {
  const minutes = Math.round((now - Date.parse(when)) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${plural(minutes, "minute")} ago`;
  if (minutes < 60 * 24) return `${plural(Math.round(minutes / 60), "hour")} ago`;
  return new Date(when).toLocaleDateString("en", { dateStyle: "medium" });
}
