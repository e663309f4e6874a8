/** An answer as Markdown with footnotes, to be pasted elsewhere with its evidence. */
import type { Answer, Citation, Claim } from "../api/types";
import { quotesOf } from "./citations";
import { reasonSentence, VERDICT_WORDS } from "./words";

/** What Markdown would read as markup is escaped; line breaks become spaces. */
export function escapeMarkdown(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const escaped = line.replace(/[\\`*_{}[\]<>#|~&!]/gu, "\\$&");
  return escaped.replace(/^(\d*)([-+.)])(?=\s)/u, "$1\\$2"); // what begins a list
}

export function toMarkdown(answer: Answer, link: string): string {
  const notes = new Map<string, number>();
  const lines = answer.claims.map((claim) => sentence(claim, notes));
  const body = answer.claims.length > 0 ? lines.join(" ") : escapeMarkdown(answer.text);
  const parts = [`**${escapeMarkdown(answer.question)}**`, body];
  if (notes.size > 0) {
    parts.push([...notes].map(([text, n]) => `[^${String(n)}]: ${text}`).join("\n"));
  }
  parts.push(`Checked by Upheld: <${link}>`);
  return `${parts.join("\n\n")}\n`;
}

function sentence(claim: Claim, notes: Map<string, number>): string {
  const { support } = claim.verdict;
  const { for: supporting, against, cited } = quotesOf(claim);
  const words = [escapeMarkdown(claim.text)];
  const quotes = support === "contradicted" ? against : supporting.length > 0 ? supporting : cited;
  for (const quote of support === "unsupported" ? [] : quotes) {
    const text = footnote(quote);
    const number = notes.get(text) ?? notes.size + 1;
    notes.set(text, number);
    words.push(`[^${String(number)}]`);
  }
  if (support !== "supported" && support !== "not_checkworthy") {
    const why = `${VERDICT_WORDS[support]}: ${reasonSentence(claim.verdict)}`;
    words.push(` *(${escapeMarkdown(why)})*`);
  }
  return words.join("");
}

function footnote(quote: Citation): string {
  const place = [quote.title || quote.document_id];
  if (quote.page) place.push(`page ${String(quote.page)}`);
  else if (quote.heading_path.length > 0) place.push(quote.heading_path.join(" › "));
  return `${escapeMarkdown(place.join(", "))}: “${escapeMarkdown(quote.quote)}”`;
}
