import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  server: {
    host: '127.0.0.1',
    port: Number(process.env['PANEL_PORT'] ?? 5173),
    strictPort: true,
    proxy: { '/api': process.env['BURSAR_API'] ?? 'http://127.0.0.1:3000' },
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2024',
    // The content policy allows no data: fonts and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What Login needs, in one file.
        codeSplitting: { groups: [{ name: 'front', tags: ['$initial'] }] },
      },
    },
  },
});
