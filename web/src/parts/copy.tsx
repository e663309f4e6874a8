/** Takes an answer elsewhere: Markdown with footnotes, JSON, or its permanent link. */
import { useState } from "react";

import type { Answer } from "../api/types";
import { toMarkdown } from "../state/markdown";
import { pathTo } from "../state/router";

export function CopyBar({ answer, collection }: { answer: Answer; collection: string }) {
  const [told, setTold] = useState("");
  const link = new URL(pathTo("read", collection, answer.id), window.location.origin).href;
  const copies: [string, () => string][] = [
    ["Markdown", () => toMarkdown(answer, link)],
    ["JSON", () => JSON.stringify(answer, null, 2)],
    ["Link", () => link],
  ];
  const copy = async (name: string, text: string): Promise<void> => {
    setTold((await toClipboard(text)) ? `${name} copied` : "The browser did not allow copying");
  };
  return (
    <div className="copy" role="group" aria-label="Copy the answer">
      <span className="quiet">Copy</span>
      {copies.map(([name, make]) => (
        <button
          key={name}
          type="button"
          className="button small quiet-button"
          aria-label={`Copy as ${name}`}
          onClick={() => void copy(name, make())}
        >
          {name}
        </button>
      ))}
      <span role="status" className="quiet">
        {told}
      </span>
    </div>
  );
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text); // the page came over plain http
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  field.select();
  // The one way where there is no clipboard interface.
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
