import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import { textBytes } from './text-bytes.ts';

/** A definition as JSON text, kept as long as one of its runs. */
export interface KeptDefinition {
  readonly json: string;
  /** How many runs keep it. */
  uses: number;
}

/** The definitions of runs. Those with the same content are stored once. */
export interface KeptDefinitions {
  /** How many bytes they need, approximately. */
  readonly bytes: number;
  /** Keeps a definition for one more run. */
  retain(definition: WorkflowDefinition): KeptDefinition;
  /** Ends that for one run. */
  release(kept: KeptDefinition): void;
}

/** Creates {@link KeptDefinitions} without definitions. */
export function createKeptDefinitions(): KeptDefinitions {
  const byJson = new Map<string, KeptDefinition>();
  /** Runs that share a plan come with the same object, whose text is made once. */
  const known = new WeakMap<WorkflowDefinition, KeptDefinition>();
  let bytes = 0;

  function find(definition: WorkflowDefinition): KeptDefinition {
    const last = known.get(definition);
    if (last !== undefined && last.uses > 0) return last;
    const json = last?.json ?? JSON.stringify(definition);
    const found = byJson.get(json) ?? { json, uses: 0 };
    known.set(definition, found);
    return found;
  }

  return {
    get bytes() {
      return bytes;
    },
    retain(definition) {
      const kept = find(definition);
      if (kept.uses === 0) {
        byJson.set(kept.json, kept);
        bytes += textBytes(kept.json);
      }
      kept.uses++;
      return kept;
    },
    release(kept) {
      kept.uses--;
      if (kept.uses > 0) return;
      byJson.delete(kept.json);
      bytes -= textBytes(kept.json);
    },
  };
}
