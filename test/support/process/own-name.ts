import { registerHooks } from 'node:module';

// For `node --import`: resolves imports of this package by its name to its sources, so that it need not be built.

const name = 'orchestration-service';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === name) return next(source('entries/index'), context);
    if (!specifier.startsWith(`${name}/`)) return next(specifier, context);
    return next(source(`entries/${specifier.slice(name.length + 1)}`), context);
  },
});

function source(path: string): string {
  return new URL(`../../../src/${path}.ts`, import.meta.url).href;
}
