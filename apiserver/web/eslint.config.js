import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import { defineConfig } from "eslint/config";
import globals from "globals";
import ts from "typescript-eslint";

import svelteConfig from "./svelte.config.js";

export default defineConfig(
  { ignores: ["dist", "pages", "src/api/schema.d.ts"] },
  js.configs.recommended,
  ts.configs.recommended,
  svelte.configs.recommended,
  svelte.configs.prettier,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // svelte-check finds what these do, and fails the build for it.
      "svelte/valid-compile": "off",
      "svelte/no-unused-svelte-ignore": "off",
      // What nothing renders, and lists that never change their order, are plain on purpose;
      // {" "} is a space that the compiler would drop.
      "svelte/prefer-svelte-reactivity": "off",
      "svelte/require-each-key": "off",
      "svelte/no-useless-mustaches": "off",
    },
  },
  { files: ["src/**"], languageOptions: { globals: globals.browser } },
  { files: ["*.{js,ts,mjs}"], languageOptions: { globals: globals.node } },
  { files: ["**/*.svelte", "**/*.svelte.ts"], languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: [".svelte"], svelteConfig } } },
);
