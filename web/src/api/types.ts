/** Names for the parts of the generated schema that the page uses. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Answer = Schemas["Answer"];
export type AnswerLine = Schemas["AnswerLine"];
export type AnswerList = Schemas["AnswerList"];
export type Ask = Schemas["Ask"];
export type CheckedAnswer = Schemas["CheckedAnswer"];
export type Citation = Schemas["Citation"];
export type Claim = Schemas["Claim"];
export type Conflict = Schemas["Conflict"];
export type DocumentList = Schemas["DocumentList"];
export type DocumentPages = Schemas["DocumentPages"];
export type DocumentPassages = Schemas["DocumentPassages"];
export type DocumentText = Schemas["DocumentText"];
export type DocumentView = Schemas["DocumentView"];
export type DrawnClaim = Schemas["DrawnClaim"];
export type Feedback = Schemas["Feedback"];
export type Guarantee = Schemas["Guarantee"];
export type PageMarks = Schemas["PageMarks"];
export type Passage = Schemas["Passage"];
export type ReviewCounts = Schemas["ReviewCounts"];
export type SessionView = Schemas["SessionView"];
export type Support = Schemas["Support"];
export type TraceEvent = Schemas["Event"];
export type Usage = Schemas["Usage"];
export type Verdict = Schemas["Verdict"];

/** An error as the service tells it: what went wrong, and what you can do. */
export interface Problem {
  status: number;
  code: string;
  detail: string;
  help: string;
}
