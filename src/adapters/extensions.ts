import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentRegistry } from '../application/agents/registry.ts';
import type { ToolRegistry } from '../application/tools/registry.ts';
import { OrchestrationError } from '../domain/errors.ts';

/** The registries that an extension receives (decisions, section 5). */
export interface ExtensionContext {
  readonly tools: Pick<ToolRegistry, 'register'>;
  readonly agents: Pick<AgentRegistry, 'register'>;
}

/** The default export of an extension. Registers tools and agents before the service listens. */
export type Extension = (context: ExtensionContext) => void | Promise<void>;

/**
 * Loads the modules named in EXTENSIONS in order: paths relative to `directory`, or packages that are installed there
 * or beside this one. Rejects at the first module that cannot be loaded, does not export a function by default, or
 * throws: with `registration`, the name of the module and the reason.
 */
export async function loadExtensions(
  names: readonly string[],
  directory: string,
  context: ExtensionContext,
): Promise<void> {
  for (const name of names) {
    try {
      const module: unknown = await import(resolveModule(name, directory));
      await getExtension(module)(context);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new OrchestrationError('registration', `extension ${JSON.stringify(name)}: ${reason}`, {
        cause: error,
      });
    }
  }
}

/** The URL of a module. The name of an existing file is a path, with or without a dot. */
function resolveModule(name: string, directory: string): string {
  if (name.startsWith('file:')) return name;
  const path = resolve(directory, name);
  if (isAbsolute(name) || name.startsWith('.') || existsSync(path)) return pathToFileURL(path).href;
  return resolvePackage(name, directory);
}

/** The URL of a package, resolved from `directory`, or else from this module. */
function resolvePackage(name: string, directory: string): string {
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

/** Resolves like an `import` in a module of `directory`; `require.resolve` rejects packages that only support `import`. */
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

function getExtension(module: unknown): Extension {
  const exported: unknown =
    typeof module === 'object' && module !== null && 'default' in module && module.default;
  if (!isExtension(exported)) throw new Error('its default export is not a function');
  return exported;
}

function isExtension(value: unknown): value is Extension {
  return typeof value === 'function';
}
