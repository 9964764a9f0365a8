import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// Tests that write times expect them in a zone that changes its clocks.
process.env.TZ = "Europe/Madrid";

export default defineConfig({
  plugins: [svelte()],
  // Svelte as browsers run it: its build for servers has no effects.
  resolve: { conditions: ["browser"] },
  test: {
    include: ["src/**/*.test.ts", "*.test.mjs"],
    setupFiles: ["src/testing/browser.ts", "src/testing/address.ts"],
    testTransformMode: { web: ["**/*.test.ts"] },
    cache: false,
    // A thread for each file starts faster than a process.
    pool: "threads",
    // A browser does not mind that an event has more than ten listeners.
    poolOptions: { threads: { execArgv: ["--no-warnings"] } },
    unstubGlobals: true,
    restoreMocks: true,
  },
});
