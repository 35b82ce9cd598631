// SPDX-License-Identifier: Apache-2.0
// The one-file report: the same application with everything inlined, its data in the page itself.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

export default defineConfig({
  plugins: [svelte(), viteSingleFile({ removeViteModuleLoader: true })],
  base: './',
  build: {
    outDir: '../python/steptrace/ui',
    emptyOutDir: false, // the pages lie there already
    target: 'es2022',
    rollupOptions: { input: 'report.html' },
  },
});
