/** Data of the service for a view, by its address. */
import { useCallback, useEffect, useState } from "react";

import { asProblem, getJson, request } from "../api/client";
import type { Problem } from "../api/types";

export interface Loaded<T> {
  data: T | null;
  problem: Problem | null;
  loading: boolean;
  reload: () => void;
}

interface Settled<T> {
  path: string | null;
  data: T | null;
  problem: Problem | null;
}

const MOST_KEPT = 300;
const keptReplies = new Map<string, unknown>(); // of documents, the oldest first

/**
 * Load JSON; what was loaded from the same address stays while it is loaded again.
 *
 * With `keep`, a reply is asked for once: walking through an answer goes back and forth between the
 * same places of the same documents.
 */
export function useJson<T>(path: string | null, keep = false): Loaded<T> {
  const [turn, setTurn] = useState(0);
  const [settled, setSettled] = useState<Settled<T>>({ path: null, data: null, problem: null });
  useEffect(() => {
    if (path === null || (keep && keptReplies.has(path))) return undefined;
    const control = new AbortController();
    getJson<T>(path, control.signal).then(
      (data) => {
        if (keep) keepReply(path, data);
        if (!control.signal.aborted) setSettled({ path, data, problem: null });
      },
      (error: unknown) => {
        if (!control.signal.aborted) setSettled({ path, data: null, problem: asProblem(error) });
      },
    );
    return () => {
      control.abort();
    };
  }, [path, turn, keep]);
  const reload = useCallback(() => {
    setTurn((count) => count + 1);
  }, []);
  const kept = keep && path !== null ? (keptReplies.get(path) as T | undefined) : undefined;
  if (kept !== undefined) return { data: kept, problem: null, loading: false, reload };
  const current = settled.path === path;
  return {
    data: current ? settled.data : null,
    problem: current ? settled.problem : null,
    loading: path !== null && !current,
    reload,
  };
}

function keepReply(path: string, data: unknown): void {
  keptReplies.set(path, data);
  for (const oldest of keptReplies.keys()) {
    if (keptReplies.size <= MOST_KEPT) break;
    keptReplies.delete(oldest);
  }
}

const MOST_PICTURES = 24;
const pictures = new Map<string, string>(); // object addresses of pages, the oldest first

/** The picture of a page, kept in memory: the service lets no browser store documents. */
export function usePicture(path: string): { url: string | null; problem: Problem | null } {
  const [settled, setSettled] = useState<{ path: string; problem: Problem | null } | null>(null);
  const known = pictures.get(path) ?? null;
  useEffect(() => {
    if (pictures.has(path)) return undefined;
    const control = new AbortController();
    loadPicture(path, control.signal).then(
      () => {
        if (!control.signal.aborted) setSettled({ path, problem: null });
      },
      (error: unknown) => {
        if (!control.signal.aborted) setSettled({ path, problem: asProblem(error) });
      },
    );
    return () => {
      control.abort();
    };
  }, [path]);
  return { url: known, problem: settled?.path === path ? settled.problem : null };
}

async function loadPicture(path: string, signal: AbortSignal): Promise<void> {
  const reply = await request(path, { signal });
  const url = URL.createObjectURL(await reply.blob());
  pictures.set(path, url);
  for (const [oldest, address] of pictures) {
    if (pictures.size <= MOST_PICTURES) break;
    pictures.delete(oldest);
    URL.revokeObjectURL(address);
  }
}

/** Forget what is known of documents, after one was deleted or replaced. */
export function forgetDocuments(): void {
  keptReplies.clear();
  for (const address of pictures.values()) URL.revokeObjectURL(address);
  pictures.clear();
}
