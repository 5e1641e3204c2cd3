import { type Issue, MAX_FAULTS, type Path } from '../faults.ts';

/** Collects what a check finds. */
export interface Report {
  readonly faults: readonly Issue[];
  readonly warnings: readonly Issue[];
  fault(path: Path, message: string, atKey?: 'at key'): void;
  warn(path: Path, message: string, atKey?: 'at key'): void;
}

/** An empty report. It keeps one more of each than are told. */
export function createReport(): Report {
  const faults: Issue[] = [];
  const warnings: Issue[] = [];
  const add = (list: Issue[]) => (path: Path, message: string, atKey?: 'at key') => {
    if (list.length <= MAX_FAULTS) list.push({ path, message, atKey: atKey !== undefined });
  };
  return { faults, warnings, fault: add(faults), warn: add(warnings) };
}
