import { describe, expect, it } from "vitest";

import { CodePointText, countCodePoints } from "./codepoints";

describe("CodePointText", () => {
  it.each([
    ["plain", 1, 3, "la"],
    ["a🐦b🐦c", 1, 2, "🐦"],
    ["a🐦b🐦c", 2, 5, "b🐦c"],
    ["é\u0301🇩🇪x", 3, 5, "🇪x"],
    ["\ud800a", 1, 2, "a"], // a lone surrogate is one code point, as in Python
    ["abc", 2, 99, "c"],
    ["abc", -4, 1, "a"],
  ])("slices %j from %i to %i", (text, start, end, expected) => {
    expect(new CodePointText(text).slice(start, end)).toBe(expected);
  });

  it("agrees with an array of code points, wherever it is cut", () => {
    const text = "a🐦é汉𝔘\n".repeat(900);
    const points = [...text];
    const counted = new CodePointText(text);
    expect(counted.length).toBe(points.length);
    expect(countCodePoints(text)).toBe(points.length);
    for (const start of [0, 1, 1023, 1024, 1025, 2047, 2048, 4000, points.length]) {
      expect(counted.slice(start, start + 7)).toBe(points.slice(start, start + 7).join(""));
    }
  });
});
