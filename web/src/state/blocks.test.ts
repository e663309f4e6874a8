import { describe, expect, it } from "vitest";

import { toBlocks, toPassages } from "./blocks";

const TEXT = "# Birds 🐦\n\nSwifts return 🐦 in May.\nThey leave in August.\n\n## Puffins\nOn the cliff.";

describe("toBlocks", () => {
  it("cuts at headings and empty lines", () => {
    const blocks = toBlocks(TEXT, 0, []);
    expect(blocks.map(({ level }) => level)).toEqual([1, 0, 2, 0]);
    expect(blocks[0]?.pieces[0]?.text).toBe("Birds 🐦");
    expect(blocks[1]?.pieces[0]?.text).toBe("Swifts return 🐦 in May.\nThey leave in August.\n");
  });

  it("marks code points of the document, not units of the window", () => {
    const points = [...TEXT];
    const start = points.join("").indexOf("They") - 2; // two birds before it are two units each
    const end = start + "They leave".length;
    expect(points.slice(start, end).join("")).toBe("They leave");
    const marked = toBlocks(TEXT, 0, [{ start, end }]).flatMap((each) => each.pieces.filter((p) => p.marked));
    expect(marked).toEqual([{ text: "They leave", marked: true }]);
    const window = points.slice(10).join("");
    const inWindow = toBlocks(window, 10, [{ start, end }]).flatMap((b) => b.pieces.filter((p) => p.marked));
    expect(inWindow).toEqual(marked);
  });

  it("marks across blocks, and nothing for a span outside", () => {
    const text = (span: { start: number; end: number }): string[] =>
      toBlocks("one\n\ntwo three", 100, [span]).flatMap((b) => b.pieces.filter((p) => p.marked).map((p) => p.text));
    expect(text({ start: 101, end: 108 })).toEqual(["ne\n", "two"]);
    expect(text({ start: 0, end: 50 })).toEqual([]);
    expect(text({ start: 500, end: 600 })).toEqual([]);
  });
});

describe("toPassages", () => {
  it("keeps every character, and numbers those of passages", () => {
    const text = "🐦one\n\ntwo\n\nthree";
    const points = [...text];
    const passages = [
      { number: 4, start: 90, end: 104 },
      { number: 5, start: 106, end: 109 },
      { number: 6, start: 111, end: 300 },
    ];
    const parts = toPassages({ text, start: 100 }, passages);
    expect(parts.map(({ text: own }) => own).join("")).toBe(points.join(""));
    expect(parts.map(({ number, text: own }) => [number, own.trim()])).toEqual([
      [4, "🐦one"],
      [null, ""],
      [5, "two"],
      [null, ""],
      [6, "three"],
    ]);
    expect(toPassages({ text, start: 0 }, [])).toEqual([{ number: null, start: 0, text }]);
  });
});
