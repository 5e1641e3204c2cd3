import type { TargetResult } from './target.ts';

/** A part of the benchmarks that can run alone. */
export interface Section {
  /** The name for `--only`. */
  readonly name: string;
  readonly title: string;
  /** Runs the benchmark; `quick` means few short rounds. Leaves nothing running, also when it throws. */
  measure(quick: boolean): Promise<SectionResult>;
}

/** The result of a section. */
export interface SectionResult {
  /** Paragraphs and tables of Markdown. */
  readonly blocks: readonly string[];
  /** The measured values that have a target. */
  readonly targets: readonly TargetResult[];
}
