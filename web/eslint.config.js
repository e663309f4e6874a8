import hooks from "eslint-plugin-react-hooks";
import { defineConfig } from "eslint/config";
import ts from "typescript-eslint";

export default defineConfig(
  { ignores: ["dist", "src/api/schema.d.ts"] },
  ts.configs.strict,
  ts.configs.stylistic,
  hooks.configs.flat["recommended-latest"],
  {
    rules: {
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Texts of documents are text nodes." },
        { property: "outerHTML", message: "Texts of documents are text nodes." },
      ],
      "no-restricted-syntax": [
        "error",
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: "Texts of documents are text nodes.",
        },
      ],
    },
  },
);
