import { describe, expect, it } from "vitest";

import { marksOf, numbersOf, quotesOf } from "./citations";
import { parseRoute, pathTo } from "./router";
import { answer, citation, claim } from "./samples";
import { documentId, reduceUploads, type Upload } from "./uploads";
import { answerLine, guaranteeWords, probabilityWords, reasonSentence } from "./words";

describe("words", () => {
  it("puts probabilities as counts of 100", () => {
    expect(probabilityWords(claim("A.").verdict)).toBe("Of 100 sentences marked like this, about 88 hold.");
    expect(probabilityWords(claim("A.", { cause: "quoted", probability: 1 }).verdict)).toContain("quoted");
    const no = claim("A.", { support: "unsupported", probability: 0.062 }).verdict;
    expect(probabilityWords(no)).toContain("only about 6");
    expect(guaranteeWords({ alpha: 0.1, delta: 0.05, threshold: 0.9, fitted_on: "x" })).toContain(
      "At most 10 of 100 sentences",
    );
  });

  it("says how likely the answer answers the question", () => {
    expect(answerLine(answer([], { p_right: 0.452, doubtful: true }))).toEqual({
      doubtful: true,
      text: "Doubtful: it may not answer your question (about 45 in 100).",
    });
    expect(answerLine(answer([], { p_right: 0.98 }))?.text).toContain("Very likely");
    expect(answerLine(answer([], { status: "abstained", p_right: 0.2 }))).toBeNull();
    expect(answerLine(answer([]))).toBeNull();
  });

  it("makes sentences of reasons", () => {
    expect(reasonSentence(claim("A.", { reason: "no source has the figure “60”" }).verdict)).toBe(
      "No source has the figure “60”.",
    );
    expect(reasonSentence(claim("A.").verdict)).toBe("A source says this.");
  });
});

describe("citations", () => {
  const [here, there] = [citation(), citation({ passage_id: "b.1", document_id: "b", support: "unsupported" })];
  const numbers = numbersOf([{ id: "a.1" }, { id: "b.1" }]);

  it("parts quotes for, against, and cited elsewhere", () => {
    const found = quotesOf(claim("A.", { evidence_for: [here, here], evidence_against: [] }, [here, there]));
    expect(found).toEqual({ for: [here], against: [], cited: [there] });
  });

  it("shows what a fixed citation was", () => {
    expect(marksOf(claim("A.", { evidence_for: [here] }, [there]), numbers)).toEqual({ own: [2], fixed: [1] });
    expect(marksOf(claim("A.", {}, [here]), numbers)).toEqual({ own: [1], fixed: null });
    const no = claim("A.", { support: "unsupported" }, [there]);
    expect(marksOf(no, numbers)).toEqual({ own: [2], fixed: null });
  });
});

describe("addresses", () => {
  it("go both ways", () => {
    expect(parseRoute("/")).toEqual({ view: "ask" });
    expect(parseRoute(pathTo("read", "a b", "x/y"))).toEqual({ view: "read", collection: "a b", id: "x/y" });
    expect(parseRoute("/documents/staff")).toEqual({ view: "documents", collection: "staff" });
    expect(parseRoute("/documents/staff/%E0%A4%A")).toMatchObject({ view: "document" });
    for (const path of ["/nowhere", "/read/a", "/read/a/b/c"]) expect(parseRoute(path)).toEqual({ view: "unknown" });
  });
});

describe("uploads", () => {
  it("have ids that the service takes", () => {
    const good = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/;
    const names = ["Über uns (1).pdf", "https://a.test/b?c=d", "🐦", "..", "a".repeat(300), "-x-", "../../etc/passwd"];
    for (const name of names) expect(documentId(name)).toMatch(good);
    expect(documentId("Über uns (1).pdf")).toBe("Uber-uns-1-.pdf");
  });

  it("change by themselves", () => {
    const one: Upload = { key: 1, name: "a", phase: "sending", share: 0, id: null, problem: null };
    const added = reduceUploads([], { add: one });
    const changed = reduceUploads(added, { change: { key: 1, phase: "ready" } });
    expect(changed).toEqual([{ ...one, phase: "ready" }]);
    expect(reduceUploads(changed, { forget: 1 })).toEqual([]);
  });
});
