import type { TargetResult } from './target.ts';

/** A part of the benchmarks that can be measured alone. */
export interface Section {
  /** What `--only` calls it. */
  readonly name: string;
  readonly title: string;
  /** Measures it; `quick` makes rounds short and few. Leaves nothing running, also when it throws. */
  measure(quick: boolean): Promise<SectionResult>;
}

/** What a section found. */
export interface SectionResult {
  /** Paragraphs and tables of Markdown. */
  readonly blocks: readonly string[];
  /** How its figures stand to what they are to reach. */
  readonly targets: readonly TargetResult[];
}
