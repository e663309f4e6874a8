/** An answer that has just been streamed, for the view of its permanent address. */
import type { Answer } from "../api/types";
import type { Run } from "./run";

export interface Handover {
  answer: Answer;
  run: Run;
  began: number;
  opened: number | null | undefined;
}

let held: Handover | null = null;

export function handOver(next: Handover): void {
  held = next;
}

/** The answer with this id, if it is the one that was streamed last. */
export function takeOver(id: string): Handover | null {
  return held?.answer.id === id ? held : null;
}
