import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { EventStreamError, readEvents } from '../../../src/entries/client.ts';
import { apiBase, type EventResponse } from '../../api/client.ts';
import { readWhileSeen } from '../../api/seen.ts';
import { type Read, useRead } from '../../api/use-read.ts';
import type { Effect, Effects } from './logic/plan.ts';
import {
  type Definition,
  definitionOf,
  isOfRun,
  type Run,
  readAgents,
  readDefinition,
  readRun,
  readTools,
} from './logic/reads.ts';

/** A run that is read again whenever an event tells of it. */
export const useRun = (id: string): Read<Run> => useRead(`run ${id}`, readRun(id), { stale: isOfRun(id) });

/** The definition that a run has. It never changes. */
export function useDefinition(run: Run | undefined): Read<Definition> {
  const id = run?.workflow_id ?? '';
  const version = run?.version ?? 0;
  const read = useRead(`definition ${id} ${version}`, readDefinition(id, version), {
    enabled: run !== undefined,
  });
  const { value: stored } = read;
  // The steps of a run and their layers never change.
  const value = useMemo(
    () => (stored === undefined || run === undefined ? stored : definitionOf(stored, run)),
    [stored, run?.execution_id],
  );
  return { ...read, value };
}

/** The effects of all tools and agents; undefined until they are known. */
export function useEffects(): Effects | undefined {
  const tools = useRead('tools', readTools).value;
  const agents = useRead('agents', readAgents).value;
  return useMemo(() => {
    if (tools === undefined || agents === undefined) return undefined;
    return { tools: toEffects(tools.tools), agents: toEffects(agents.agents) };
  }, [tools, agents]);
}

function toEffects(
  list: readonly { readonly name: string; readonly effect?: Effect | undefined }[],
): ReadonlyMap<string, Effect> {
  return new Map(list.map(({ name, effect = 'unknown' }) => [name, effect]));
}

/** The events of a run. */
export interface RunEvents {
  /** In the order of `seq`. */
  readonly events: readonly EventResponse[];
  /** `ended`: the run has ended, and these are all. */
  readonly state: 'reading' | 'ended' | 'failed';
  readonly error: string | undefined;
}

/** Milliseconds for which events are gathered before they are shown. */
const GATHER_MS = 200;

/**
 * The events of a run, from its own stream, which stays open until the run has ended, the page is left, or nobody has
 * seen it for some seconds. Who comes back, and a further attempt, continue them. A component shows one run only.
 */
export function useRunEvents(run: Run | undefined): RunEvents {
  const [state, setState] = useState<RunEvents>(nothing);
  const last = useRef(0);
  const id = run?.execution_id;
  const workflowId = run?.workflow_id ?? '';
  useEffect(() => {
    if (id === undefined) return;
    const leaving = new AbortController();
    let gathered: EventResponse[] = [];
    const show = (values: Partial<RunEvents> = {}): void => {
      if (leaving.signal.aborted) return;
      const fresh = gathered;
      gathered = [];
      last.current = fresh.at(-1)?.seq ?? last.current;
      setState((before) => ({ ...before, ...values, events: [...before.events, ...fresh] }));
    };
    const timer = setInterval(() => gathered.length > 0 && show(), GATHER_MS);
    const path = `workflows/${encodeURIComponent(workflowId)}/runs/${encodeURIComponent(id)}/events`;
    const read = async (signal: AbortSignal): Promise<void> => {
      try {
        const after = { after: last.current, signal };
        for await (const event of readEvents(new URL(path, apiBase), after)) gathered.push(event);
        show(signal.aborted ? {} : { state: 'ended' });
      } catch (error) {
        const text = error instanceof EventStreamError ? error.message : 'The events cannot be read.';
        show({ state: 'failed', error: text });
      }
    };
    setState((before) => ({ ...before, state: 'reading', error: undefined }));
    void readWhileSeen(read, leaving.signal).then(() => clearInterval(timer));
    return () => {
      leaving.abort();
      clearInterval(timer);
    };
  }, [id, workflowId, run?.attempt]);
  return state;
}

const nothing: RunEvents = { events: [], state: 'reading', error: undefined };
