/** Claims and answers for tests. */
import type { Answer, Citation, Claim } from "../api/types";

export function citation(more: Partial<Citation> = {}): Citation {
  return {
    passage_id: "a.1",
    document_id: "a",
    document_version: "0".repeat(32),
    start: 0,
    end: 5,
    quote: "Words",
    support: "supported",
    page: null,
    heading_path: [],
    title: "A",
    uri: "a.txt",
    ...more,
  };
}

export function claim(text: string, more: Partial<Claim["verdict"]> = {}, citations = [citation()]): Claim {
  return {
    text,
    citations,
    start: 0,
    end: text.length,
    verdict: {
      support: "supported",
      probability: 0.88,
      evidence_for: citations,
      evidence_against: [],
      checked_by: "v",
      reason: "",
      cause: "entailed",
      ...more,
    },
  };
}

export function answer(claims: Claim[], more: Partial<Answer> = {}): Answer {
  return {
    id: "f".repeat(32),
    question: "Why?",
    status: "answered",
    method: "rag",
    text: claims.map((each) => each.text).join(" "),
    claims,
    sources: [],
    conflicts: [],
    guarantee: null,
    pipeline: "",
    degraded: [],
    usage: {} as Answer["usage"],
    trace: [],
    p_right: null,
    doubtful: false,
    ...more,
  };
}
