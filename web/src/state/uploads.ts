/** Files and addresses on their way into a collection: sent, read, ready or failed. */
import { useCallback, useEffect, useReducer, useRef } from "react";

import { asProblem, documentPath, getJson, OFFLINE, OURS, problemOf, ProblemError } from "../api/client";
import type { DocumentView, Problem } from "../api/types";
import { forgetDocuments } from "./load";

export interface Upload {
  key: number;
  name: string;
  phase: "sending" | "reading" | "ready" | "failed";
  share: number; // of the bytes, from 0 to 1
  id: string | null;
  problem: Problem | null;
}

type Change = { key: number } & Partial<Omit<Upload, "key">>;
type UploadAction = { add: Upload } | { change: Change } | { forget: number };

export function reduceUploads(uploads: Upload[], action: UploadAction): Upload[] {
  if ("add" in action) return [action.add, ...uploads];
  if ("forget" in action) return uploads.filter((each) => each.key !== action.forget);
  const { change } = action;
  return uploads.map((each) => (each.key === change.key ? { ...each, ...change } : each));
}

/** An id that the service takes, from a file's name or an address. */
export function documentId(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/^https?:\/\//u, "")
    .replace(/\p{M}/gu, "")
    .replace(/[^A-Za-z0-9._-]+/gu, "-")
    .replace(/^[^A-Za-z0-9]+|-+$/gu, "");
  return plain.slice(0, 120) || "document";
}

interface Target {
  collection: string;
  labels: readonly string[];
  mayChooseId: boolean; // keys that are limited to labels may not
}

export type Given = { file: File } | { url: string };

let keys = 0;
const POLL_MS = 700;

export function useUploads(changed: () => void) {
  const [uploads, dispatch] = useReducer(reduceUploads, []);
  const control = useRef<AbortController | null>(null);
  useEffect(() => {
    const own = new AbortController();
    control.current = own;
    return () => {
      own.abort();
    };
  }, []);

  const upload = useCallback(
    (given: Given, target: Target) => {
      const key = (keys += 1);
      const name = "file" in given ? given.file.name : given.url;
      const signal = control.current?.signal ?? new AbortController().signal;
      const change = (more: Omit<Change, "key">): void => {
        if (!signal.aborted) dispatch({ change: { key, ...more } });
      };
      dispatch({ add: { key, name, phase: "sending", share: 0, id: null, problem: null } });
      void deliver(given, target, change, signal)
        .catch((error: unknown) => {
          change({ phase: "failed", problem: asProblem(error) });
        })
        .finally(changed);
    },
    [changed],
  );
  const forget = useCallback((key: number) => {
    dispatch({ forget: key });
  }, []);
  return { uploads, upload, forget };
}

async function deliver(
  given: Given,
  { collection, labels, mayChooseId }: Target,
  change: (more: Omit<Change, "key">) => void,
  signal: AbortSignal,
): Promise<void> {
  const name = "file" in given ? given.file.name : null;
  const id = documentId(name ?? ("url" in given ? given.url : ""));
  const params = new URLSearchParams(labels.map((each) => ["label", each]));
  const path = mayChooseId ? documentPath(collection, id) : documentPath(collection);
  if (name !== null) params.set("name", cleanName(name));
  const body = "file" in given ? given.file : JSON.stringify({ url: given.url });
  const type = "file" in given ? "application/octet-stream" : "application/json";
  const send: Sending = {
    method: mayChooseId ? "PUT" : "POST",
    path: params.size > 0 ? `${path}?${params.toString()}` : path,
    body,
    type,
  };
  const accepted = await transmit(send, (share) => {
    change({ share });
  });
  forgetDocuments();
  change({ phase: "reading", share: 1, id: accepted.document.id });
  const read = await whenRead(documentPath(collection, accepted.document.id), signal);
  if (read.status === "failed") {
    const help = "Open it where it was made and save it again, or send another format.";
    const detail = read.error ?? "It could not be read.";
    change({ phase: "failed", problem: { status: 0, code: "unreadable", detail, help } });
  } else change({ phase: "ready" });
}

function cleanName(name: string): string {
   
  return name.replace(/[\u0000-\u001f/\\]/gu, "_").slice(0, 200);
}

async function whenRead(path: string, signal: AbortSignal): Promise<DocumentView> {
  for (;;) {
    const document = await getJson<DocumentView>(path, signal);
    if (document.status !== "pending") return document;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

interface Sending {
  method: string;
  path: string;
  body: File | string;
  type: string;
}

/** `fetch` does not tell how many bytes were sent. */
export function transmit(
  { method, path, body, type }: Sending,
  progress: (share: number) => void,
): Promise<{ document: DocumentView; job: number }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, path);
    request.setRequestHeader("Content-Type", type);
    for (const [name, value] of Object.entries(OURS)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) progress(event.loaded / event.total);
    };
    request.onload = () => {
      if (request.status < 300) {
        resolve(JSON.parse(request.responseText) as { document: DocumentView; job: number });
      } else reject(new ProblemError(problemOf(request.status, request.responseText)));
    };
    request.onerror = () => {
      reject(new ProblemError(OFFLINE));
    };
    request.send(body);
  });
}

/** Read a document again from its stored original or its address. */
export async function readAgain(document: DocumentView, isAddress: boolean): Promise<void> {
  const path = documentPath(document.collection, document.id);
  const labels = document.labels.map((each): [string, string] => ["label", each]);
  const params = new URLSearchParams(labels);
  if (isAddress) {
    const body = JSON.stringify({ url: document.origin });
    await transmit({ method: "PUT", path: withQuery(path, params), body, type: "application/json" }, ignore);
    return;
  }
  const original = await fetch(documentPath(document.collection, document.id, "/original"));
  if (!original.ok) throw new ProblemError(problemOf(original.status, await original.text()));
  const name = document.origin.split("/").at(-1) ?? document.id;
  params.set("name", cleanName(name));
  const file = new File([await original.blob()], name);
  const type = "application/octet-stream";
  await transmit({ method: "PUT", path: withQuery(path, params), body: file, type }, ignore);
}

function withQuery(path: string, params: URLSearchParams): string {
  return params.size > 0 ? `${path}?${params.toString()}` : path;
}

function ignore(): void {
  // nobody watches its bytes
}
