// SPDX-License-Identifier: Apache-2.0
// The pages that `steptrace ui` serves. They load nothing from elsewhere and hold no inline script or
// style, so that the server's Content-Security-Policy can forbid both.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

const server = process.env.STEPTRACE_UI_SERVER ?? 'http://127.0.0.1:8765';

export default defineConfig({
  plugins: [svelte()],
  base: './',
  build: {
    outDir: '../python/steptrace/ui',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
  },
  server: { host: '127.0.0.1', port: 5173, proxy: { '/api': server } },
  test: { include: ['{src,tests}/**/*.test.ts'], environment: 'node' },
});
