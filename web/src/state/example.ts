/** A document to try the page with, for people who have none at hand. */
export const EXAMPLE = {
  name: "lighthouse-example.md",
  question: "Who built the lighthouse?",
  text: `# Wren Island lighthouse

## Visiting

The lighthouse opens at nine in the morning and closes at six in the evening. Visitors climb 199
steps to the gallery. The climb takes about twenty minutes.

## History

The lighthouse of Wren Island was built by Agnes Tolliver in 1871. Its lamp is seen from 24 nautical
miles. The fog horn was switched off for good in 1994.

## Getting here

The ferry to Wren Island leaves every hour. The crossing takes 35 minutes. Dogs travel free of charge.
`,
};
