import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { apiReferenceViewer } from './api-reference.ts';
import { precompress } from './precompress.ts';
import { writePreloads } from './preloads.ts';

/** jspdf imports these to draw HTML, SVG and PNG, which the panel never does. */
const undrawn = new Set(['html2canvas', 'canvg', 'dompurify', 'fast-png']);
const nothing = '\0nothing';

const leaveOut: Plugin = {
  name: 'leave-out-undrawn',
  enforce: 'pre',
  resolveId: (id) => (undrawn.has(id) ? nothing : undefined),
  load: (id) => (id === nothing ? 'export default undefined; export const decode = undefined;' : undefined),
};

let outputFolder = '';
/** Does what the server would otherwise do per request: compresses files, and finds the files that a screen needs. */
const preparedForTheServer: Plugin = {
  name: 'prepare-for-the-server',
  apply: 'build',
  configResolved: ({ root, build }) => {
    outputFolder = path.resolve(root, build.outDir);
  },
  closeBundle: async () => {
    await writePreloads(import.meta.dirname, outputFolder);
    await precompress(outputFolder);
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), leaveOut, apiReferenceViewer, preparedForTheServer],
  worker: { plugins: () => [leaveOut] },
  // Otherwise the dev server would discover these during the first PDF export, and reload the page in the middle of it.
  optimizeDeps: { include: ['jspdf', 'jspdf-autotable'] },
  server: {
    host: '127.0.0.1',
    port: Number(process.env['PANEL_PORT'] ?? 5173),
    strictPort: true,
    proxy: { '/api': process.env['BURSAR_API'] ?? 'http://127.0.0.1:3000' },
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    target: 'es2024',
    // The content policy allows no data: fonts and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // One file for everything that Login needs.
        codeSplitting: {
          groups: [
            { name: 'front', tags: ['$initial'] },
            { name: 'calls', test: /panel\/src\/shell\/call\.ts$/ },
            // One for everything that each screen of the dashboard needs: many tiny files cost more than they save.
            {
              name: 'frame',
              test: /IconChevron(?:Left|Right)\.mjs$|panel\/src\/(?:app|shell\/layout|ui\/(?:amount|button|hint|timestamp|opening|short-id|status|reported-failure|modal))\.tsx?$/,
            },
            // One for everything that each list needs, and one for the texts of runs.
            { name: 'list', test: /panel\/src\/domain\/(list-table|listing|row-link)\.tsx?$/ },
            { name: 'run', test: /panel\/src\/domain\/(run-state|run-text|blocked-schedule-text)\.tsx?$/ },
          ],
        },
      },
    },
  },
});
