/** What can be asked about: collections and their documents. */
import { Popover } from "radix-ui";
import { useCallback, useEffect, useState } from "react";

import { asProblem, documentPath, query, sendJson } from "../api/client";
import type { DocumentList, DocumentView, Problem } from "../api/types";
import { Foreign, isWebAddress, Link, ProblemNote, Waiting } from "../parts/basics";
import { AgainIcon, FileIcon, TrashIcon } from "../parts/icons";
import { Uploader } from "../parts/uploader";
import { forgetDocuments, useJson } from "../state/load";
import { navigate, pathTo } from "../state/router";
import { useSession } from "../state/session";
import { readAgain } from "../state/uploads";
import { ago, plural } from "../state/words";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const POLL_MS = 1500;

export function DocumentsView({ collection }: { collection: string | null }) {
  const { session } = useSession();
  const found = useJson<{ collections: string[] }>("/v1/collections");
  const names = found.data?.collections ?? [];
  const current = collection ?? (names.includes("default") ? "default" : (names[0] ?? "default"));
  const [labels, setLabels] = useState("");
  const list = useDocuments(current, names.includes(current));
  const { reload: reloadList } = list;
  const { reload: reloadNames } = found;
  const changed = useCallback(() => {
    reloadNames();
    reloadList();
  }, [reloadNames, reloadList]);
  const mayWrite = session.scopes.includes("write");
  const given = labels.split(",").flatMap((each) => each.trim() || []);
  return (
    <section className="documents">
      <header className="view-head">
        <h1>Documents</h1>
        <CollectionPicker names={names} current={current} mayWrite={mayWrite} />
      </header>
      {mayWrite && (
        <>
          <Uploader collection={current} labels={given} changed={changed} />
          <details className="more">
            <summary>Who may see what you add</summary>
            <label className="field">
              Labels, separated by commas
              <input
                value={labels}
                placeholder="everybody with a key"
                onChange={(event) => {
                  setLabels(event.target.value);
                }}
              />
            </label>
            <p className="quiet">
              With labels, only keys that have one of them see the document. Without, all keys do.
            </p>
          </details>
        </>
      )}
      {found.problem && <ProblemNote problem={found.problem} retry={found.reload} />}
      {list.problem && list.problem.status !== 404 && (
        <ProblemNote problem={list.problem} retry={list.reload} />
      )}
      {list.documents.length === 0 && !list.loading ? (
        <p className="empty-line">There is nothing in “{current}” yet.</p>
      ) : (
        <DocumentTable documents={list.documents} changed={changed} mayWrite={mayWrite} />
      )}
      {list.loading && list.documents.length === 0 && names.includes(current) && (
        <Waiting>Opening the list</Waiting>
      )}
      {mayWrite && list.documents.length > 1 && (
        <DeleteCollection collection={current} count={list.documents.length} changed={changed} />
      )}
      {list.more && (
        <button type="button" className="button" onClick={list.more}>
          Show more
        </button>
      )}
    </section>
  );
}

/** All pages that were asked for, looked at again while a document is being read. */
function useDocuments(collection: string, exists: boolean) {
  const [count, setCount] = useState(50);
  const path = exists ? `${documentPath(collection)}${query({ limit: Math.min(count, 100) })}` : null;
  const { data, problem, loading, reload } = useJson<DocumentList>(path);
  const [rest, setRest] = useState<{ path: string | null; documents: DocumentView[]; next: string | null }>({
    path: null,
    documents: [],
    next: null,
  });
  const own = rest.path === path ? rest : { documents: [], next: data?.next ?? null };
  const documents = [...(data?.documents ?? []), ...own.documents];
  const busy = documents.some(({ status }) => status === "pending" || status === "deleting");
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setInterval(reload, POLL_MS);
    return () => {
      clearInterval(timer);
    };
  }, [busy, reload]);
  const next = own.next;
  const more =
    next === null
      ? null
      : (): void => {
          if (count < 100) {
            setCount(100);
            return;
          }
          void sendJson<DocumentList>(
            "GET",
            `${documentPath(collection)}${query({ limit: 100, after: next })}`,
          ).then((page) => {
            setRest({ path, documents: [...own.documents, ...page.documents], next: page.next ?? null });
          });
        };
  return { documents, problem, loading, reload, more };
}

function CollectionPicker(props: { names: string[]; current: string; mayWrite: boolean }) {
  const { names, current, mayWrite } = props;
  const [name, setName] = useState("");
  const all = names.includes(current) ? names : [...names, current];
  return (
    <div className="row">
      <label className="inline">
        <span className="quiet">Collection</span>{" "}
        <select
          value={current}
          onChange={(event) => {
            navigate(pathTo("documents", event.target.value));
          }}
        >
          {all.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      {mayWrite && (
        <Popover.Root>
          <Popover.Trigger className="button small">New collection</Popover.Trigger>
          <Popover.Portal>
            <Popover.Content className="popover" sideOffset={6} align="end" aria-label="New collection">
              <form
                onSubmit={(event) => {
                  event.preventDefault();
                  if (NAME.test(name)) navigate(pathTo("documents", name));
                }}
              >
                <label className="field">
                  Name
                  <input
                    value={name}
                    placeholder="handbooks"
                    onChange={(event) => {
                      setName(event.target.value);
                    }}
                  />
                </label>
                <p className="quiet">Letters, digits, dots and dashes. It begins with its first document.</p>
                <button type="submit" className="button main small" disabled={!NAME.test(name)}>
                  Open
                </button>
              </form>
            </Popover.Content>
          </Popover.Portal>
        </Popover.Root>
      )}
    </div>
  );
}

interface DeleteProps {
  collection: string;
  count: number;
  changed: () => void;
}

function DeleteCollection({ collection, count, changed }: DeleteProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const remove = (): void => {
    sendJson("DELETE", `/v1/collections/${encodeURIComponent(collection)}`).then(
      () => {
        forgetDocuments();
        changed();
      },
      (error: unknown) => {
        setProblem(asProblem(error));
      },
    );
  };
  return (
    <div className="row end">
      {problem && <ProblemNote problem={problem} />}
      <Popover.Root>
        <Popover.Trigger className="button small quiet-button">Delete the collection</Popover.Trigger>
        <Popover.Portal>
          <Popover.Content className="popover" sideOffset={6} align="end" aria-label="Delete all?">
            <p>
              Delete all {plural(count, "document")} of <b>{collection}</b>, and every answer that
              quotes them?
            </p>
            <div className="row end">
              <Popover.Close className="button small">Keep them</Popover.Close>
              <Popover.Close className="button small danger" onClick={remove}>
                Delete all
              </Popover.Close>
            </div>
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </div>
  );
}

const STATUS: Record<DocumentView["status"], string> = {
  pending: "being read",
  ready: "ready",
  failed: "could not be read",
  deleting: "being deleted",
};

interface TableProps {
  documents: readonly DocumentView[];
  changed: () => void;
  mayWrite: boolean;
}

function DocumentTable({ documents, changed, mayWrite }: TableProps) {
  const [now] = useState(() => Date.now());
  const [problem, setProblem] = useState<Problem | null>(null);
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
      forgetDocuments();
      setProblem(null);
    } catch (error) {
      setProblem(asProblem(error));
    }
    changed();
  };
  if (documents.length === 0) return null;
  return (
    <>
      {problem && <ProblemNote problem={problem} />}
      <ul className="table" aria-label="Documents">
        {documents.map((each) => (
          <li key={each.id} className={`document ${each.status}`}>
            <FileIcon />
            <div className="about">
              <p className="title">
                {each.status === "ready" ? (
                  <Link to={pathTo("documents", each.collection, each.id)}>
                    <Foreign>{each.id}</Foreign>
                  </Link>
                ) : (
                  <Foreign>{each.id}</Foreign>
                )}
                {each.labels.map((label) => (
                  <span className="tag" key={label}>
                    <Foreign>{label}</Foreign>
                  </span>
                ))}
              </p>
              <p className="quiet">
                <Foreign>{each.origin}</Foreign>
                {each.pages ? ` · ${plural(each.pages, "page")}` : ""} · {ago(each.updated_at, now)}
              </p>
              {each.error && (
                <p className="why">
                  <Foreign>{each.error}</Foreign> Save it again where it was made, or send another format.
                </p>
              )}
            </div>
            <span className="status">{STATUS[each.status]}</span>
            {mayWrite && each.status !== "deleting" && (
              <DocumentButtons document={each} attempt={(work) => void attempt(work)} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

interface ButtonsProps {
  document: DocumentView;
  attempt: (work: () => Promise<unknown>) => void;
}

function DocumentButtons({ document: own, attempt }: ButtonsProps) {
  const isAddress = isWebAddress(own.origin);
  return (
    <div className="buttons">
      <button
        type="button"
        className="button icon-only"
        aria-label={`Read ${own.id} again`}
        title="Read again"
        disabled={own.status === "pending" || (own.original === null && !isAddress)}
        onClick={() => {
          attempt(() => readAgain(own, isAddress));
        }}
      >
        <AgainIcon />
      </button>
      <Popover.Root>
        <Popover.Trigger className="button icon-only" aria-label={`Delete ${own.id}`} title="Delete">
          <TrashIcon />
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content className="popover" sideOffset={6} align="end" aria-label="Delete?">
            <p>
              Delete <b><Foreign>{own.id}</Foreign></b>? Answers that quote it are deleted as well.
            </p>
            <div className="row end">
              <Popover.Close className="button small">Keep it</Popover.Close>
              <Popover.Close
                className="button small danger"
                onClick={() => {
                  attempt(() => sendJson("DELETE", documentPath(own.collection, own.id)));
                }}
              >
                Delete
              </Popover.Close>
            </div>
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </div>
  );
}
