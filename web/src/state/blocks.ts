/** A document's text as headings and paragraphs, with spans of code points marked in it. */
import { CodePointText } from "./codepoints";

export interface Span {
  start: number;
  end: number;
}

export interface Piece {
  text: string;
  marked: boolean;
}

export interface Block {
  level: number; // of a heading, from 1; 0 is a paragraph
  start: number; // in UTF-16 units of the text that was cut
  pieces: Piece[];
}

const HEADING = /^(#{1,6}) +/;

/**
 * Cut a text into blocks at empty lines and headings.
 *
 * `offset` is where the text begins in its document, and `spans` are offsets of the document, all
 * in code points. Every character of the text is in one piece, but for line breaks between blocks
 * and the signs of headings.
 */
export function toBlocks(text: string, offset: number, spans: readonly Span[]): Block[] {
  const counted = new CodePointText(text);
  const units = spans.map(({ start, end }) => ({
    start: counted.unitAt(start - offset),
    end: counted.unitAt(end - offset),
  }));
  const blocks: Block[] = [];
  let begin = -1;
  const close = (end: number): void => {
    if (begin >= 0) blocks.push(block(text, begin, end, units));
    begin = -1;
  };
  let line = 0;
  while (line <= text.length) {
    const newline = text.indexOf("\n", line);
    const end = newline < 0 ? text.length : newline;
    const own = text.slice(line, end);
    if (own.trim() === "") close(line);
    else if (HEADING.test(own)) {
      close(line);
      begin = line;
      close(end);
    } else if (begin < 0) begin = line;
    if (newline < 0) break;
    line = newline + 1;
  }
  close(text.length);
  return blocks;
}

function block(text: string, start: number, end: number, spans: readonly Span[]): Block {
  const signs = HEADING.exec(text.slice(start, Math.min(end, start + 200)));
  const level = signs?.[1]?.length ?? 0;
  const first = start + (signs?.[0].length ?? 0);
  return { level, start, pieces: pieces(text, first, end, spans) };
}

function pieces(text: string, start: number, end: number, spans: readonly Span[]): Piece[] {
  const cuts = new Set([start, end]);
  for (const span of spans) {
    for (const cut of [span.start, span.end]) if (cut > start && cut < end) cuts.add(cut);
  }
  const ordered = [...cuts].sort((a, b) => a - b);
  return ordered.slice(0, -1).map((from, index) => {
    const to = ordered[index + 1] ?? end;
    return { text: text.slice(from, to), marked: spans.some((s) => s.start <= from && to <= s.end) };
  });
}

export interface Part {
  number: number | null; // of the passage; null between passages
  start: number;
  text: string;
}

/** Cut a window of a document's text where its passages begin and end; they do not overlap. */
export function toPassages(
  { text, start }: { text: string; start: number },
  passages: readonly (Span & { number: number })[],
): Part[] {
  const counted = new CodePointText(text);
  const end = start + counted.length;
  const parts: Part[] = [];
  let at = start;
  const add = (to: number, number: number | null): void => {
    if (to > at) parts.push({ number, start: at, text: counted.slice(at - start, to - start) });
    at = Math.max(at, to);
  };
  for (const each of passages) {
    add(Math.min(Math.max(each.start, at), end), null);
    add(Math.min(each.end, end), each.number);
  }
  add(end, null);
  return parts;
}
