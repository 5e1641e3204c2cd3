import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** This code runs as TypeScript, and in the package as JavaScript. */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/**
 * Loads a module of `src/adapters/shared` at its first use: the languages take longer to load than a start may take
 * that never uses them. The type parameter is that of the module.
 */
export function lazyModule<Module>(name: string): () => Module {
  let loaded: Module | undefined;
  return () => {
    loaded ??= require(`../shared/${name}.${extension}`) as Module;
    return loaded;
  };
}
