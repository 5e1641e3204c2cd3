import { type Issue, MAX_FAULTS, type Path } from '../faults.ts';

/** What is told of an issue beside its place and message. */
export type IssueDetails = Pick<Issue, 'atKey' | 'restsOn'>;

/** Collects what a check finds. */
export interface Report {
  readonly faults: readonly Issue[];
  readonly warnings: readonly Issue[];
  fault(path: Path, message: string, more?: IssueDetails): void;
  warn(path: Path, message: string, more?: IssueDetails): void;
}

/** An empty report. It keeps one more of each than are told. */
export function createReport(): Report {
  const faults: Issue[] = [];
  const warnings: Issue[] = [];
  const add =
    (list: Issue[]) =>
    (path: Path, message: string, more: IssueDetails = {}) => {
      if (list.length <= MAX_FAULTS) list.push({ path, message, ...more });
    };
  return { faults, warnings, fault: add(faults), warn: add(warnings) };
}
