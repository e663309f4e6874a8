/** The methods in a few words each; docs/methods.md has more. */
export const METHODS: Record<string, string | undefined> = {
  rag: "search, then write",
  crag: "grade what was found first",
  cov_rag: "judge, revise, search again",
  a2r: "measure and refine",
  coq: "question by question",
  uoq: "sub-questions at once",
  fave: "the best of several plans",
  upheld: "repair each fault",
};
