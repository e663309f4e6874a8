/** Check an answer from anywhere against its sources, without asking anything. */
import { useState } from "react";

import { asProblem, documentPath, getJson, query, sendJson } from "../api/client";
import type { CheckedAnswer, DocumentList, DocumentText, Problem } from "../api/types";
import { Foreign, ProblemNote, Waiting } from "../parts/basics";
import { TrashIcon } from "../parts/icons";
import { useJson } from "../state/load";
import { plural } from "../state/words";
import { Reading } from "./reading";

interface Source {
  key: number;
  name: string;
  text: string;
}

interface Checked {
  reply: CheckedAnswer;
  texts: string[];
  names: string[];
}

let keys = 0;
const source = (name: string, text: string): Source => ({ key: (keys += 1), name, text });

export function CheckView() {
  const [answer, setAnswer] = useState("");
  const [sources, setSources] = useState<Source[]>(() => [source("", "")]);
  const [checked, setChecked] = useState<Checked | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);

  const filled = sources.filter((each) => each.text.trim() !== "");
  const check = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      const texts = filled.map((each) => each.text);
      const reply = await sendJson<CheckedAnswer>("POST", "/v1/verify", { answer, sources: texts });
      setChecked({ reply, texts, names: filled.map((each) => each.name) });
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  if (checked) {
    return <CheckedView checked={checked} again={() => { setChecked(null); }} />;
  }
  return (
    <section className="check">
      <h1>Check an answer</h1>
      <p className="lead">
        Paste a text that somebody or something wrote, and the sources it should rest on. Nothing is
        stored.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void check();
        }}
      >
        <div className="field">
          <label htmlFor="answer">The answer</label>
          <textarea
            id="answer"
            rows={7}
            maxLength={50_000}
            value={answer}
            placeholder="Paste it here. A mark such as [1] means the first source."
            onChange={(event) => {
              setAnswer(event.target.value);
            }}
          />
          <TextFiles label="Read it from a file" several={false} take={([first]) => { setAnswer(first?.text ?? ""); }} />
        </div>
        <SourceFields sources={sources} change={setSources} />
        <div className="row end">
          <button
            type="submit"
            className="button main"
            disabled={busy || answer.trim() === "" || filled.length === 0}
          >
            Check every sentence
          </button>
        </div>
        {busy && <Waiting>Comparing each sentence with the sources</Waiting>}
        {problem && <ProblemNote problem={problem} />}
      </form>
    </section>
  );
}

interface FieldsProps {
  sources: Source[];
  change: (update: (before: Source[]) => Source[]) => void;
}

function SourceFields({ sources, change }: FieldsProps) {
  const add = (more: Source[]): void => {
    change((before) => [...before.filter((each) => each.text !== ""), ...more]);
  };
  return (
    <fieldset>
      <legend>Its sources</legend>
      {sources.map((each, index) => (
        <div className="field" key={each.key}>
          <label htmlFor={`source-${String(each.key)}`}>
            [{index + 1}] <Foreign>{each.name || "Pasted text"}</Foreign>
          </label>
          <div className="row">
            <textarea
              id={`source-${String(each.key)}`}
              rows={4}
              value={each.text}
              placeholder="Paste the text of a source here."
              onChange={(event) => {
                const text = event.target.value;
                change((before) => before.map((own) => (own.key === each.key ? { ...own, text } : own)));
              }}
            />
            <button
              type="button"
              className="button icon-only"
              aria-label={`Remove source ${String(index + 1)}`}
              disabled={sources.length === 1}
              onClick={() => {
                change((before) => before.filter((own) => own.key !== each.key));
              }}
            >
              <TrashIcon />
            </button>
          </div>
        </div>
      ))}
      <div className="row wrap">
        <button
          type="button"
          className="button small"
          onClick={() => {
            change((before) => [...before, source("", "")]);
          }}
        >
          Add another text
        </button>
        <TextFiles label="Read text files" several take={(files) => { add(files.map((f) => source(f.name, f.text))); }} />
        <StoredDocuments take={(name, text) => { add([source(name, text)]); }} />
      </div>
    </fieldset>
  );
}

interface TextFile {
  name: string;
  text: string;
}

function TextFiles(props: { label: string; several: boolean; take: (files: TextFile[]) => void }) {
  const [why, setWhy] = useState("");
  const read = async (files: File[]): Promise<void> => {
    const texts = await Promise.all(
      files.map(async (file) => ({ name: file.name, text: await file.text() })),
    );
    const binary = texts.filter(({ text }) => text.includes("\u0000") || text.includes("\ufffd"));
    setWhy(
      binary.length === 0
        ? ""
        : `${binary.map(({ name }) => name).join(", ")}: not plain text. Add it under Documents, then choose it here.`,
    );
    const good = texts.filter((each) => !binary.includes(each));
    if (good.length > 0) props.take(good);
  };
  return (
    <>
      <label className="button small file">
        {props.label}
        <input
          type="file"
          className="unseen"
          multiple={props.several}
          accept=".txt,.md,.markdown,.csv,text/*"
          onChange={(event) => {
            void read([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
      </label>
      {why !== "" && (
        <p className="why" role="alert">
          <Foreign>{why}</Foreign>
        </p>
      )}
    </>
  );
}

/** A stored document as a source: its text is the one that was read when it was added. */
function StoredDocuments({ take }: { take: (name: string, text: string) => void }) {
  const collections = useJson<{ collections: string[] }>("/v1/collections");
  const [collection, setCollection] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const names = collections.data?.collections ?? [];
  const shown = collection || (names[0] ?? "");
  const documents = useJson<DocumentList>(
    shown === "" ? null : `${documentPath(shown)}${query({ status: "ready", limit: 100 })}`,
  );
  const choose = async (id: string): Promise<void> => {
    try {
      take(id, await wholeText(shown, id));
      setProblem(null);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  if (names.length === 0) return null;
  return (
    <>
      {names.length > 1 && (
        <select
          aria-label="Collection"
          value={shown}
          onChange={(event) => {
            setCollection(event.target.value);
          }}
        >
          {names.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      )}
      <select
        aria-label="Add a stored document"
        value=""
        onChange={(event) => {
          if (event.target.value !== "") void choose(event.target.value);
        }}
      >
        <option value="">Add a stored document…</option>
        {documents.data?.documents.map((each) => (
          <option key={each.id}>{each.id}</option>
        ))}
      </select>
      {problem && <ProblemNote problem={problem} />}
    </>
  );
}

const MOST = 500_000; // characters of a source that the service takes

async function wholeText(collection: string, id: string): Promise<string> {
  const parts: string[] = [];
  let start = 0;
  let length = 1;
  while (start < length && start < MOST) {
    const path = documentPath(collection, id, `/text${query({ start })}`);
    const part = await getJson<DocumentText>(path);
    parts.push(part.text);
    ({ length } = part);
    if (part.end <= start) break;
    start = part.end;
  }
  return parts.join("");
}

function CheckedView({ checked, again }: { checked: Checked; again: () => void }) {
  const { reply, texts, names } = checked;
  const locals = reply.sources.map(({ id }, index) => ({ id, text: texts[index] ?? "" }));
  const titled = new Map(reply.sources.map(({ id }, index) => [id, names[index] ?? ""]));
  const title = <T extends { document_id: string; title: string }>(each: T): T => {
    const number = reply.sources.findIndex(({ id }) => id === each.document_id) + 1;
    return { ...each, title: titled.get(each.document_id) || `Source ${String(number)}` };
  };
  const claims = reply.claims.map((claim) => ({
    ...claim,
    citations: claim.citations.map(title),
    verdict: {
      ...claim.verdict,
      evidence_for: claim.verdict.evidence_for.map(title),
      evidence_against: claim.verdict.evidence_against.map(title),
    },
  }));
  return (
    <Reading
      question={reply.supported ? "Every statement is upheld by the sources" : "Not every statement is upheld"}
      collection={null}
      claims={claims}
      sourceIds={reply.sources}
      locals={locals}
      done
      above={
        <p className="quiet">
          Checked against {plural(texts.length, "source")}.{" "}
          <button type="button" className="as-link" onClick={again}>
            Change the text
          </button>
        </p>
      }
    />
  );
}
