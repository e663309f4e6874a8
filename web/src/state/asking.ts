/** Asks a question and follows the stream of its answer. */
import { useCallback, useEffect, useReducer, useRef, useState } from "react";

import { asProblem, request } from "../api/client";
import { readEvents } from "../api/sse";
import type { Ask } from "../api/types";
import { NEW_RUN, reduceRun, type Run, type RunAction } from "./run";

export type Asked = Pick<Ask, "question" | "collection"> & Partial<Ask>;

export interface Asking {
  asked: Asked | null;
  run: Run;
  began: number; // by the clock of `performance.now`
  ask: (asked: Asked) => void;
  retry: () => void;
  stop: () => void;
}

interface Attempt {
  asked: Asked;
  key: string; // the same for a retry: an answer that was complete is sent again, not made again
}

export function useAsking(): Asking {
  const [run, dispatch] = useReducer(reduceRun, NEW_RUN);
  const [attempt, setAttempt] = useState<Attempt | null>(null);
  const [began, setBegan] = useState(0);
  const control = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      control.current?.abort(); // whoever leaves the view wants no answer
    },
    [],
  );

  const send = useCallback((next: Attempt, action: RunAction) => {
    control.current?.abort();
    const own = new AbortController();
    control.current = own;
    setAttempt(next);
    setBegan(performance.now());
    dispatch(action);
    void follow(next, own.signal, (each) => {
      if (control.current === own) dispatch(each);
    });
  }, []);

  const ask = useCallback(
    (asked: Asked) => {
      send({ asked, key: randomKey() }, { type: "begin" });
    },
    [send],
  );
  const retry = useCallback(() => {
    if (attempt !== null) send(attempt, { type: "retry" });
  }, [attempt, send]);
  const stop = useCallback(() => {
    control.current?.abort();
    dispatch({ type: "stopped" });
  }, []);
  return { asked: attempt?.asked ?? null, run, began, ask, retry, stop };
}

/** Send the question, and every event to `dispatch`; the last action is the end. */
export async function follow(
  { asked, key }: Attempt,
  signal: AbortSignal,
  dispatch: (action: RunAction) => void,
): Promise<void> {
  let streaming = false;
  try {
    const reply = await request("/v1/answers", {
      method: "POST",
      body: JSON.stringify({ ...asked, stream: true }),
      headers: { "Content-Type": "application/json", "Idempotency-Key": key },
      signal,
    });
    if (reply.body === null) throw new TypeError("an empty reply");
    streaming = true;
    for await (const event of readEvents(reply.body)) dispatch({ type: "event", event });
    dispatch({ type: "ended" });
  } catch (error) {
    if (signal.aborted) return;
    // A connection that breaks is no failure of the answer: it can be asked for again.
    dispatch(streaming ? { type: "ended" } : { type: "failed", problem: asProblem(error) });
  }
}

// `crypto.randomUUID` is missing where the page comes over plain http.
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((each) => each.toString(16).padStart(2, "0")).join("");
}
