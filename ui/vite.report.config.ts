// SPDX-License-Identifier: Apache-2.0
// The one-file report: the same application with everything inlined, its data in the page itself.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

/** A file to mail takes the reader's own fonts: the bundled one is an eighth of it. */
const withoutFont: Plugin = {
  name: 'without-font',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('.css') ? code.replace(/@font-face\s*\{[^}]*\}/g, '') : undefined,
};

export default defineConfig({
  plugins: [withoutFont, svelte(), viteSingleFile({ removeViteModuleLoader: true })],
  base: './',
  build: {
    outDir: '../python/steptrace/ui',
    emptyOutDir: false, // the pages lie there already
    target: 'es2022',
    rollupOptions: { input: 'report.html' },
  },
});
