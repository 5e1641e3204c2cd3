import { registerHooks } from 'node:module';

// For `node --import`: resolves imports of this package by its name to the sources, without a build.

const name = 'orchestration-service';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === name) return next(entryUrl('index'), context);
    if (!specifier.startsWith(`${name}/`)) return next(specifier, context);
    return next(entryUrl(specifier.slice(name.length + 1)), context);
  },
});

function entryUrl(entry: string): string {
  return new URL(`../../../src/entries/${entry}.ts`, import.meta.url).href;
}
