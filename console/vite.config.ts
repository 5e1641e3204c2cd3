import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Builds the console into `assets/console`, which the service and the local proxy serve under any path. */
export default defineConfig({
  root: folder('.'),
  base: './',
  build: {
    outDir: folder('../assets/console'),
    emptyOutDir: true,
    assetsDir: 'static',
    // Inlined files would need exceptions from the page's policy.
    assetsInlineLimit: 0,
    // All scripts of the first page stand in the page itself.
    modulePreload: false,
    target: 'es2024',
    // The oldest browsers that know light-dark(), which the colours use.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Few files: many small ones take more bytes together.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'parts', test: /console\/(?:main|(?:api|app|ui|pages\/overview)\/)/ },
            { name: 'pages', test: /console\/(?:graph|pages)\// },
          ],
        },
      },
    },
  },
});
