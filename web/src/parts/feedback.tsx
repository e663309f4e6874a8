/** Whether the reader agrees with a verdict; kept with the answer, never part of a guarantee. */
import { useState } from "react";

import { asProblem, sendJson } from "../api/client";
import type { Feedback, Problem } from "../api/types";
import { useSession } from "../state/session";
import { ProblemNote } from "./basics";

interface FormProps {
  answer: string;
  claim: number;
  known: readonly Feedback[];
  changed: () => void;
}

export function FeedbackForm({ answer, claim, known, changed }: FormProps) {
  const { session } = useSession();
  const mine = known.find((each) => each.claim === claim && each.author === session.key);
  const [given, setGiven] = useState<Feedback | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const current = given ?? mine ?? null;
  const [note, setNote] = useState("");

  const give = async (agrees: boolean, words: string): Promise<void> => {
    try {
      const path = `/v1/answers/${answer}/claims/${String(claim)}/feedback`;
      setGiven(await sendJson<Feedback>("POST", path, { agrees, note: words }));
      setProblem(null);
      changed();
    } catch (error) {
      setProblem(asProblem(error));
    }
  };

  return (
    <section className="feedback" aria-label="Your opinion">
      <p>
        Is this verdict right?
        <button
          type="button"
          className="button small"
          aria-pressed={current?.agrees === true}
          onClick={() => void give(true, "")}
        >
          Agree
        </button>
        <button
          type="button"
          className="button small"
          aria-pressed={current?.agrees === false}
          onClick={() => void give(false, "")}
        >
          Disagree
        </button>
      </p>
      {current?.agrees === false && (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            void give(false, note);
          }}
        >
          <input
            value={note}
            maxLength={2000}
            aria-label="Why you disagree"
            placeholder={current.note === "" ? "Why? (optional)" : current.note}
            onChange={(event) => {
              setNote(event.target.value);
            }}
          />
          <button type="submit" className="button small" disabled={note.trim() === ""}>
            Save
          </button>
        </form>
      )}
      <p className="quiet" role="status">
        {given ? "Thank you, it is saved with the answer." : ""}
      </p>
      {problem && <ProblemNote problem={problem} />}
    </section>
  );
}
