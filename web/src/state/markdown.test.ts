import { describe, expect, it } from "vitest";

import { escapeMarkdown, toMarkdown } from "./markdown";
import { answer, citation, claim } from "./samples";

describe("toMarkdown", () => {
  it("has a footnote for each quote, once, and says what is not supported", () => {
    const quote = citation({ page: 3, quote: "It opens\nat nine.", title: "Guide" });
    const whole = answer([
      claim("It opens at nine.", {}, [quote]),
      claim("It is free.", { support: "unsupported", reason: "no source says this", evidence_for: [] }, []),
      claim("It opens.", {}, [quote]),
    ]);
    expect(toMarkdown(whole, "https://x.test/read/a/b")).toBe(
      "**Why?**\n\n" +
        "It opens at nine.[^1] It is free. *(Not supported: No source says this.)* It opens.[^1]\n\n" +
        "[^1]: Guide, page 3: “It opens at nine.”\n\n" +
        "Checked by Upheld: <https://x.test/read/a/b>\n",
    );
  });

  it("quotes what speaks against a sentence", () => {
    const against = [citation({ quote: "It opens at ten.", heading_path: ["Visit", "Hours"] })];
    const verdict = { support: "contradicted", evidence_for: [], evidence_against: against } as const;
    const text = toMarkdown(answer([claim("It opens at nine.", { ...verdict, evidence_for: [], evidence_against: against }, [])]), "x");
    expect(text).toContain("[^1]: A, Visit › Hours: “It opens at ten.”");
    expect(text).toContain("*(Contradicted: A source says something else.)*");
  });

  it("lets nothing of a document become markup", () => {
    expect(escapeMarkdown("<img src=x> [a](javascript:b) *c* `d`\n# e")).toBe(
      "\\<img src=x\\> \\[a\\](javascript:b) \\*c\\* \\`d\\` \\# e",
    );
    expect(escapeMarkdown("1. one")).toBe("1\\. one");
    expect(escapeMarkdown("- one")).toBe("\\- one");
  });
});
