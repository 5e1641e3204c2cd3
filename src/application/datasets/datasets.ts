import { notFound } from '../../domain/errors.ts';
import { type DatasetExample, type ExampleStatus, INBOX_DATASET } from '../../domain/inbox/example.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ExampleCounts, ExampleFilter, ExamplePage } from '../../ports/storage/example-store.ts';

/** A dataset, and how many examples it has. */
export interface Dataset {
  readonly datasetId: string;
  readonly counts: ExampleCounts;
}

/**
 * Test data from what people have decided. Nothing learns from it by itself. Every member that takes the id of a
 * dataset rejects with `not_found` for an unknown one, and all with `unavailable` when the store cannot be reached.
 */
export interface Datasets {
  list(): Promise<readonly Dataset[]>;
  /** Examples, the oldest first. */
  examples(
    datasetId: string,
    filter: ExampleFilter,
    page: { readonly limit: number; readonly cursor?: number | undefined },
  ): Promise<ExamplePage>;
  /** Accepts or rejects an example, whatever it was before. Rejects with `not_found` for an unknown one. */
  decide(
    datasetId: string,
    exampleId: string,
    decision: { readonly status: Exclude<ExampleStatus, 'proposed'>; readonly by: string },
  ): Promise<DatasetExample>;
  /** All accepted examples: at most as many as one evaluation takes, the newest. */
  accepted(datasetId: string, limit: number): Promise<readonly DatasetExample[]>;
}

/** Examples that are read at a time. */
const PAGE = 200;

/** Creates {@link Datasets}. */
export function createDatasets({ examples, clock }: Pick<Ports, 'examples' | 'clock'>): Datasets {
  function assertKnown(datasetId: string): void {
    if (datasetId !== INBOX_DATASET) throw notFound('dataset', datasetId);
  }

  return {
    async list() {
      return [{ datasetId: INBOX_DATASET, counts: await examples.counts(INBOX_DATASET) }];
    },
    async examples(datasetId, filter, page) {
      assertKnown(datasetId);
      return examples.list(datasetId, filter, page);
    },
    async decide(datasetId, exampleId, { status, by }) {
      assertKnown(datasetId);
      const example = await examples.get(datasetId, exampleId);
      const decided = example && { ...example, status, decidedBy: by, decidedAt: isoTime(clock.now()) };
      if (decided === undefined || !(await examples.update(decided))) throw notFound('example', exampleId);
      return decided;
    },
    async accepted(datasetId, limit) {
      assertKnown(datasetId);
      const found: DatasetExample[] = [];
      let cursor: number | undefined;
      do {
        const page = await examples.list(datasetId, { status: 'accepted' }, { limit: PAGE, cursor });
        found.push(...page.examples);
        if (found.length > limit) found.splice(0, found.length - limit);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return found;
    },
  };
}
