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
    // Inlined files and the preload polyfill would need exceptions from the page's policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2024',
    // Few files: many small ones take more bytes together.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'parts', test: /console\/(?:api|app|ui)\// },
            { name: 'work', test: /console\/(?:graph|pages\/(?:runs|workflows|inbox))\// },
            { name: 'more', test: /console\/pages\/(?:messages|quality|routing|system|automation)\// },
          ],
        },
      },
    },
  },
});
