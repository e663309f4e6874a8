import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The service that `npm run dev` sends requests to.
const service = "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react()],
  build: {
    // Not committed: wheels are built with it, and a checkout serves it from there.
    outDir: "../packages/upheld-service/src/upheld_service/page",
    emptyOutDir: true,
    // `data:` addresses and inline scripts would need a weaker Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: "licenses.md" },
    target: "es2022",
  },
  server: { proxy: { "/v1": { target: service, changeOrigin: true } } },
});
