import { registerHooks } from 'node:module';

// For `node --import`, beside the service that runs from its sources: an extension that imports this package by its
// name gets the modules of that service, and not those in dist/.

const name = 'orchestration-service';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === name) return next(source('index'), context);
    if (!specifier.startsWith(`${name}/`) || specifier.endsWith('.json')) return next(specifier, context);
    return next(source(specifier.slice(name.length + 1)), context);
  },
});

function source(entry: string): string {
  return new URL(`../src/entries/${entry}.ts`, import.meta.url).href;
}
