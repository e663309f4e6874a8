/** Addresses of the page; each can be opened, bookmarked and sent to somebody. */
import { useSyncExternalStore } from "react";

export type Route =
  | { view: "ask" }
  | { view: "read"; collection: string; id: string }
  | { view: "inside"; collection: string; id: string }
  | { view: "check" }
  | { view: "documents"; collection: string | null }
  | { view: "document"; collection: string; id: string }
  | { view: "history" }
  | { view: "review"; collection: string | null }
  | { view: "compare" }
  | { view: "unknown" };

export function parseRoute(path: string): Route {
  const [view = "", collection, id, ...more] = path.split("/").slice(1).map(decoded);
  if (more.length > 0) return { view: "unknown" };
  const both = collection && id ? { collection, id } : null;
  switch (view) {
    case "":
      return collection === undefined ? { view: "ask" } : { view: "unknown" };
    case "read":
    case "inside":
      return both ? { view, ...both } : { view: "unknown" };
    case "documents":
      return both ? { view: "document", ...both } : { view, collection: collection ?? null };
    case "review":
      return { view, collection: collection ?? null };
    case "check":
    case "history":
    case "compare":
      return { view };
    default:
      return { view: "unknown" };
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function pathTo(...parts: string[]): string {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
  };
}

/** The path and the number of visits: going to the same address again begins anew. */
let visits = 0;
const snapshot = (): string => `${String(visits)} ${window.location.pathname}`;

export function usePath(): { path: string; visit: string } {
  const current = useSyncExternalStore(subscribe, snapshot);
  return { path: current.slice(current.indexOf(" ") + 1), visit: current };
}

export function navigate(path: string, how: "push" | "replace" = "push"): void {
  visits += 1;
  if (how === "push") window.history.pushState(null, "", path);
  else window.history.replaceState(null, "", path);
  window.scrollTo(0, 0);
  for (const listener of listeners) listener();
}
