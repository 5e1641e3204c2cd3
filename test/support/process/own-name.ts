import { registerHooks } from 'node:module';

// For `node --import`: lets a program import this package by its name, without building it. What is published under
// a name is compiled from the source that the name leads to here.

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
