import type { Orchestrator } from '../application/orchestrator.ts';
import { invalid, isOrchestrationError, unavailable } from '../domain/errors.ts';
import type { Playbook } from '../domain/playbook/playbook.ts';
import { type Logger, silentLogger } from '../ports/logger.ts';
import type { PlaybookPorts } from '../ports/ports.ts';
import type { Tool } from '../ports/tool.ts';
import { PlaybookError } from './playbook/faults.ts';
import { playbookPorts } from './playbook-ports.ts';
import {
  isModelFileError,
  type PlaybookSetup,
  type PlaybookSources,
  setUpPlaybook,
} from './playbook-setup.ts';

/** How a reload has ended. */
export interface PlaybookReloaded {
  /** The playbook that is in use now. */
  readonly playbook: Pick<Playbook, 'source' | 'version'>;
  /** What may be wrong with it, one line each. */
  readonly warnings: readonly string[];
  /** False where nothing that decides has changed: then everything stays as it is. */
  readonly changed: boolean;
}

/**
 * Loads the playbook again, with its articles, its classifier and its tools, and uses it from then on. Where it has faults
 * the last one stays in use: rejects with `validation` and all faults as `issues`. A call while one is under way waits for
 * it; the calls that wait share the next one.
 */
export type ReloadPlaybook = () => Promise<PlaybookReloaded>;

/** Options of {@link createPlaybookReload}. */
export interface PlaybookReloadOptions {
  readonly orchestrator: Pick<Orchestrator, 'playbook' | 'usePlaybook'>;
  readonly sources: PlaybookSources;
  /**
   * Makes the ports of a playbook, given its tools as its messages will see them; `playbookPorts` when absent.
   */
  readonly decide?: ((setup: PlaybookSetup, tools: () => readonly Tool[]) => PlaybookPorts) | undefined;
  /** Nothing is logged when absent. */
  readonly logger?: Logger | undefined;
  /** Aborted when the program shuts down: then a call rejects with `unavailable`. */
  readonly signal?: AbortSignal | undefined;
}

/** Creates the function that reloads the playbook of an orchestrator. */
export function createPlaybookReload({
  orchestrator,
  sources,
  decide = (setup) => playbookPorts(setup),
  logger = silentLogger,
  signal,
}: PlaybookReloadOptions): ReloadPlaybook {
  let last: Promise<unknown> = Promise.resolve();
  let waiting: Promise<PlaybookReloaded> | undefined;

  async function reload(): Promise<PlaybookReloaded> {
    if (signal?.aborted) throw unavailable('the service is shutting down');
    const before = orchestrator.playbook.version;
    const setup = await setUpPlaybook(sources);
    const { source, version } = setup.playbook;
    const changed = version !== before;
    if (changed) use(setup);
    else setup.close();
    const { warnings } = setup;
    logger.info('the playbook was reloaded', { source, version, changed });
    for (const warning of warnings) logger.warn('the playbook has a flaw', { warning });
    return { playbook: { source, version }, warnings, changed };
  }

  function use(setup: PlaybookSetup): void {
    try {
      orchestrator.usePlaybook(setup, (tools) => decide(setup, tools));
    } catch (error) {
      setup.close();
      throw error;
    }
  }

  return () => {
    waiting ??= last.then(() => {
      waiting = undefined;
      return reload().catch(rethrowFaults);
    });
    last = waiting.catch(() => undefined);
    return waiting;
  };
}

/** Throws the faults of files, and tools that the registry refuses, as `validation`. */
function rethrowFaults(error: unknown): never {
  const lines = faultsOf(error);
  if (lines === undefined) throw error;
  // Without a path, because they are not about a member of a request.
  throw invalid(lines.map((detail) => ({ path: [], detail })));
}

function faultsOf(error: unknown): readonly string[] | undefined {
  if (error instanceof PlaybookError) return error.message.split('\n');
  if (isModelFileError(error) || isOrchestrationError(error, 'registration')) return [error.message];
  return undefined;
}
