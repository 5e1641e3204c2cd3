import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentRegistry } from '../application/agents/registry.ts';
import type { ToolRegistry } from '../application/tools/registry.ts';
import { OrchestrationError } from '../domain/errors.ts';

/** What an extension is given (decisions, section 5). */
export interface ExtensionContext {
  readonly tools: Pick<ToolRegistry, 'register'>;
  readonly agents: Pick<AgentRegistry, 'register'>;
}

/** The default export of an extension: registers tools and agents before the service listens. */
export type Extension = (context: ExtensionContext) => void | Promise<void>;

/**
 * Loads the modules named in EXTENSIONS, one after the other: paths relative to `directory`, or names of packages
 * that are installed there, or beside this one. Rejects with `registration`, naming the module and the reason, at the
 * first that cannot be loaded, has no function as its default export, or throws.
 */
export async function loadExtensions(
  names: readonly string[],
  directory: string,
  context: ExtensionContext,
): Promise<void> {
  for (const name of names) {
    try {
      const module: unknown = await import(locate(name, directory));
      await extensionOf(module)(context);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new OrchestrationError('registration', `extension ${JSON.stringify(name)}: ${reason}`, {
        cause: error,
      });
    }
  }
}

/** Where a module is: the name of a file that is there is a path, with or without a dot. */
function locate(name: string, directory: string): string {
  if (name.startsWith('file:')) return name;
  const path = resolve(directory, name);
  if (isAbsolute(name) || name.startsWith('.') || existsSync(path)) return pathToFileURL(path).href;
  return locatePackage(name, directory);
}

/** Where a package is: found as a module in `directory` would find it, or else as this one does. */
function locatePackage(name: string, directory: string): string {
  try {
    return resolveFrom(directory, name);
  } catch (error) {
    try {
      return import.meta.resolve(name);
    } catch {
      throw error;
    }
  }
}

/** Resolves as `import` in a module of `directory` would; `require.resolve` would refuse what is only for `import`. */
function resolveFrom(directory: string, name: string): string {
  const parentURL = pathToFileURL(join(directory, 'EXTENSIONS')).href;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => next(specifier, { ...context, parentURL }),
  });
  try {
    return import.meta.resolve(name);
  } finally {
    hooks.deregister();
  }
}

function extensionOf(module: unknown): Extension {
  const exported: unknown =
    typeof module === 'object' && module !== null && 'default' in module && module.default;
  if (!isExtension(exported)) throw new Error('its default export is not a function');
  return exported;
}

function isExtension(value: unknown): value is Extension {
  return typeof value === 'function';
}
