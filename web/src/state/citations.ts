/** Which words a claim rests on, and under which numbers they are shown. */
import type { Citation, Claim, Passage } from "../api/types";

export interface Quotes {
  for: Citation[];
  against: Citation[];
  cited: Citation[]; // cited by the sentence, but neither for nor against it
}

export function quotesOf(claim: Claim): Quotes {
  const { evidence_for, evidence_against } = claim.verdict;
  const shown = new Set([...evidence_for, ...evidence_against].map(placeKey));
  const cited = unique(claim.citations).filter((each) => !shown.has(placeKey(each)));
  return { for: unique(evidence_for), against: unique(evidence_against), cited };
}

function placeKey({ document_id, start, end }: Citation): string {
  return `${document_id} ${String(start)} ${String(end)}`;
}

function unique(citations: readonly Citation[]): Citation[] {
  return [...new Map(citations.map((each) => [placeKey(each), each])).values()];
}

/** The number of each source, from 1, in the order of the answer. */
export type Numbers = ReadonlyMap<string, number>;

export function numbersOf(sources: readonly Pick<Passage, "id">[]): Numbers {
  return new Map(sources.map((source, index) => [source.id, index + 1]));
}

/** Numbers by order of appearance, while the answer's own list has not come yet. */
export function numbersOfClaims(claims: readonly Claim[]): Numbers {
  const numbers = new Map<string, number>();
  for (const { passage_id } of claims.flatMap((claim) => claim.citations)) {
    if (!numbers.has(passage_id)) numbers.set(passage_id, numbers.size + 1);
  }
  return numbers;
}

function marks(citations: readonly Citation[], numbers: Numbers): number[] {
  const found = citations.flatMap((each) => numbers.get(each.passage_id) ?? []);
  return [...new Set(found)].sort((a, b) => a - b);
}

export interface Marks {
  own: number[]; // as the answer cites
  fixed: number[] | null; // where the words are, if that is elsewhere
}

/** The citation marks of a claim; a supported claim that cites the wrong source is fixed. */
export function marksOf(claim: Claim, numbers: Numbers): Marks {
  const own = marks(claim.citations, numbers);
  if (claim.verdict.support !== "supported") return { own, fixed: null };
  const good = claim.citations.filter((each) => each.support === "supported");
  const fixed = marks(good.length > 0 ? good : claim.verdict.evidence_for, numbers);
  const same = fixed.length === own.length && fixed.every((each, index) => each === own[index]);
  return { own, fixed: same || fixed.length === 0 ? null : fixed };
}
