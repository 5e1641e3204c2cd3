import type { Orchestrator, ReloadedPlaybook, ReloadPlaybook } from '../application/driving-port.ts';
import { invalid, isOrchestrationError, unavailable } from '../domain/errors.ts';
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

/** Options of {@link createPlaybookReload}. */
export interface PlaybookReloadOptions {
  readonly orchestrator: Pick<Orchestrator, 'playbook' | 'usePlaybook'>;
  readonly sources: PlaybookSources;
  /** Loads a playbook; `setUpPlaybook` when absent. */
  readonly setUp?: typeof setUpPlaybook | undefined;
  /** Makes the ports of a playbook, given its tools as its messages will see them; `playbookPorts` when absent. */
  readonly decide?: ((setup: PlaybookSetup, tools: () => readonly Tool[]) => PlaybookPorts) | undefined;
  /** Nothing is logged when absent. */
  readonly logger?: Logger | undefined;
  /** Aborted when the program shuts down: then a call rejects with `unavailable`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Creates the function that reloads the playbook of an orchestrator. The calls that wait for one under way share the
 * next one.
 */
export function createPlaybookReload({
  orchestrator,
  sources,
  setUp = setUpPlaybook,
  decide = (setup) => playbookPorts(setup),
  logger = silentLogger,
  signal,
}: PlaybookReloadOptions): ReloadPlaybook {
  let last: Promise<unknown> = Promise.resolve();
  let waiting: Promise<ReloadedPlaybook> | undefined;

  async function reload(): Promise<ReloadedPlaybook> {
    if (signal?.aborted) throw unavailable('the service is shutting down');
    const before = orchestrator.playbook.version;
    const setup = await setUp(sources);
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
