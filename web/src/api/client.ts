/** Requests to the service that serves this page: with its cookie, and errors as `ProblemError`. */
import { LOGGED_OUT } from "../state/session";
import type { Problem } from "./types";

/** No other site can send this header, so a cookie alone does nothing. */
export const OURS = { "X-Upheld-Request": "1" };

export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

export const OFFLINE: Problem = {
  status: 0,
  code: "unreachable",
  detail: "The service does not answer.",
  help: "Check that it runs and that you are connected, then try again.",
};

export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  let reply: Response;
  try {
    reply = await fetch(path, {
      ...init,
      headers: { ...OURS, ...(init.headers as Record<string, string> | undefined) },
      credentials: "same-origin",
      redirect: "error",
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ProblemError(OFFLINE);
  }
  if (!reply.ok) {
    if (reply.status === 401 && !path.startsWith("/v1/session")) {
      window.dispatchEvent(new Event(LOGGED_OUT));
    }
    throw new ProblemError(problemOf(reply.status, await reply.text()));
  }
  return reply;
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const reply = await request(path, signal ? { signal } : {});
  return (await reply.json()) as T;
}

export async function sendJson<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "Content-Type": "application/json" };
  }
  const reply = await request(path, init);
  const text = await reply.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** The problem in a reply's body; proxies in between may send something else. */
export function problemOf(status: number, body: string): Problem {
  try {
    const told = JSON.parse(body) as Partial<Problem>;
    if (typeof told.detail === "string") {
      const { code = "", detail, help = "" } = told;
      return { status, code, detail, help };
    }
  } catch {
    // not JSON
  }
  const help = status >= 500 ? "Try again in a moment." : "";
  return { status, code: "", detail: `The service replied ${String(status)}.`, help };
}

export function asProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  return { status: 0, code: "page", detail: String(error), help: "Reload the page." };
}

/** The address of a document or of something below it. */
export function documentPath(collection: string, id?: string, below = ""): string {
  const all = `/v1/collections/${encodeURIComponent(collection)}/documents`;
  return id === undefined ? all : `${all}/${encodeURIComponent(id)}${below}`;
}

export function query(values: Record<string, string | number | null | undefined>): string {
  const filled = Object.entries(values).flatMap(([name, value]): [string, string][] =>
    value === null || value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return filled.length === 0 ? "" : `?${new URLSearchParams(filled).toString()}`;
}
