import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentRegistry } from '../application/agents/registry.ts';
import type { ToolRegistry } from '../application/tools/registry.ts';
import { OrchestrationError } from '../domain/errors.ts';
import type { Tool } from '../ports/tool.ts';

/** The registries that an extension receives (decisions, section 5). */
export interface ExtensionContext {
  readonly tools: {
    /** Adds a tool, in place of an example or a tool of the playbook with that name. Throws `registration`. */
    register(tool: Tool): void;
  };
  readonly agents: Pick<AgentRegistry, 'register'>;
}

/** The registries of the service. */
export interface ExtensionRegistries {
  readonly tools: Pick<ToolRegistry, 'register'>;
  readonly agents: Pick<AgentRegistry, 'register'>;
}

/** The default export of an extension. Registers tools and agents before the service listens. */
export type Extension = (context: ExtensionContext) => void | Promise<void>;

/** A module of EXTENSIONS, imported and not yet called. */
export interface ImportedExtension {
  /** As EXTENSIONS names it. */
  readonly name: string;
  /** Its export `playbook`: intents, concerns and texts that win over those of the playbook; undefined without one. */
  readonly playbook: unknown;
  /** Calls its default export with the registries. Rejects with `registration` where that throws. */
  register(registries: ExtensionRegistries): Promise<void>;
}

/**
 * Imports the modules named in EXTENSIONS in order: paths relative to `directory`, or packages that are installed there
 * or beside this one. Rejects at the first one that cannot be loaded or does not export a function by default: with
 * `registration`, the name of the module and the reason.
 */
export async function importExtensions(
  names: readonly string[],
  directory: string,
): Promise<readonly ImportedExtension[]> {
  const imported: ImportedExtension[] = [];
  for (const name of names) {
    const [extension, playbook] = await named(name, async () => {
      const module: unknown = await import(resolveModule(name, directory));
      return [getExtension(module), getPlaybook(module)] as const;
    });
    imported.push({
      name,
      playbook,
      register: ({ tools, agents }) =>
        named(name, async () => {
          await extension({
            tools: { register: (tool) => tools.register(tool, 'extension') },
            agents,
          });
        }),
    });
  }
  return imported;
}

/** Does something for an extension, and names it in the error. */
async function named<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OrchestrationError('registration', `extension ${JSON.stringify(name)}: ${reason}`, {
      cause: error,
    });
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

/**
 * Resolves like an `import` in a module of `directory`; `require.resolve` rejects packages that only support `import`.
 */
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

function getPlaybook(module: unknown): unknown {
  return typeof module === 'object' && module !== null && 'playbook' in module ? module.playbook : undefined;
}

function isExtension(value: unknown): value is Extension {
  return typeof value === 'function';
}
