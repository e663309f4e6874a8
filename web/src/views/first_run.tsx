/** The first visit: from an empty page to the first answer. */
import { useState } from "react";

import { Uploader } from "../parts/uploader";
import { EXAMPLE } from "../state/example";
import { useJson } from "../state/load";
import { useSession } from "../state/session";
import { VERDICT_MEANING, VERDICT_WORDS } from "../state/words";
import { VerdictMark } from "../parts/icons";
import type { Asked } from "../state/asking";
import type { DocumentList, Support } from "../api/types";
import { AskForm } from "./ask";

const SHOWN: Support[] = ["supported", "unsupported", "contradicted", "not_checked"];

export function FirstRun({ ask }: { ask: (asked: Asked) => void }) {
  const { session } = useSession();
  const [added, setAdded] = useState(false);
  const documents = useJson<DocumentList>(
    added ? "/v1/collections/default/documents?status=ready" : null,
  );
  const ready = documents.data?.documents.length ?? 0;
  const hasExample = documents.data?.documents.some(({ origin }) => origin === EXAMPLE.name) ?? false;
  const mayWrite = session.scopes.includes("write");
  return (
    <section className="first-run">
      <h1>See at a glance why each sentence is true</h1>
      <p className="lead">
        Add a document, ask a question, and look: every sentence of the answer carries a mark, and
        one click shows the words that uphold it.
      </p>
      <ol className="three">
        <li className={ready > 0 ? "done" : ""}>
          <h2>Add a document</h2>
          {mayWrite ? (
            <Uploader
              collection="default"
              example={EXAMPLE}
              changed={() => {
                setAdded(true);
                documents.reload();
              }}
            />
          ) : (
            <p>Your key may not add documents. Ask the person who gave it to you.</p>
          )}
        </li>
        <li>
          <h2>Ask a question</h2>
          {ready > 0 ? (
            <AskForm collections={["default"]} ask={ask} suggestion={hasExample ? EXAMPLE.question : ""} />
          ) : (
            <p className="quiet">As soon as the first document is read, you can ask here.</p>
          )}
        </li>
        <li>
          <h2>See why</h2>
          <ul className="legend">
            {SHOWN.map((support) => (
              <li key={support}>
                <VerdictMark support={support} />
                <span>
                  <b>{VERDICT_WORDS[support]}.</b> {VERDICT_MEANING[support]}
                </span>
              </li>
            ))}
          </ul>
        </li>
      </ol>
    </section>
  );
}
