import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import { textBytes } from './text-bytes.ts';

/** A definition as JSON text, kept as long as one of its runs. */
export interface KeptDefinition {
  readonly json: string;
  readonly bytes: number;
  /** How many runs keep it. */
  uses: number;
  /** How many of these are ended runs that may be evicted. */
  endedUses: number;
}

/** The definitions of runs. Those with the same content are stored once. */
export interface KeptDefinitions {
  /** About how many bytes those take that only ended runs keep. */
  readonly endedBytes: number;
  /** About how many bytes the others take. */
  readonly activeBytes: number;
  /** Keeps a definition for one more run, which is active. */
  retain(definition: WorkflowDefinition): KeptDefinition;
  /** Notes that an active run which keeps it has ended, or the reverse. */
  move(kept: KeptDefinition, to: 'ended' | 'active'): void;
  /** Ends that for one run. */
  release(kept: KeptDefinition, from: 'ended' | 'active'): void;
}

/** Creates {@link KeptDefinitions} without definitions. */
export function createKeptDefinitions(): KeptDefinitions {
  const byJson = new Map<string, KeptDefinition>();
  /** Runs that share a plan come with the same object, whose text is made once. */
  const known = new WeakMap<WorkflowDefinition, KeptDefinition>();
  const bytes = { ended: 0, active: 0 };

  function find(definition: WorkflowDefinition): KeptDefinition {
    const last = known.get(definition);
    if (last !== undefined && last.uses > 0) return last;
    const json = last?.json ?? JSON.stringify(definition);
    const found = byJson.get(json) ?? { json, bytes: textBytes(json), uses: 0, endedUses: 0 };
    known.set(definition, found);
    return found;
  }

  /** Adds its bytes where they belong now, or takes them from there. */
  function count({ uses, endedUses, bytes: ofThis }: KeptDefinition, sign: 1 | -1): void {
    if (uses > 0) bytes[uses === endedUses ? 'ended' : 'active'] += sign * ofThis;
  }

  function change(kept: KeptDefinition, uses: number, endedUses: number): void {
    count(kept, -1);
    kept.uses += uses;
    kept.endedUses += endedUses;
    count(kept, 1);
  }

  return {
    get endedBytes() {
      return bytes.ended;
    },
    get activeBytes() {
      return bytes.active;
    },
    retain(definition) {
      const kept = find(definition);
      if (kept.uses === 0) byJson.set(kept.json, kept);
      change(kept, 1, 0);
      return kept;
    },
    move(kept, to) {
      change(kept, 0, to === 'ended' ? 1 : -1);
    },
    release(kept, from) {
      change(kept, -1, from === 'ended' ? -1 : 0);
      if (kept.uses === 0) byJson.delete(kept.json);
    },
  };
}
