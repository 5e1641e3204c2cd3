import type { DatasetExample, ExampleStatus } from '../../domain/inbox/example.ts';

/** Which examples a listing shows: those that fit every member that is given. */
export interface ExampleFilter {
  readonly status?: ExampleStatus | undefined;
  readonly customerId?: string | undefined;
}

/** A part of a listing, in the order in which the examples were stored. */
export interface ExamplePage {
  readonly examples: readonly DatasetExample[];
  /** Where the next page begins; null after the last one. */
  readonly nextCursor: number | null;
}

/** The number of examples of a dataset, by their statuses. */
export type ExampleCounts = Readonly<Record<ExampleStatus, number>>;

/**
 * The examples of datasets. They are stored by `InboxStore.update`, and kept until they are deleted; in memory the
 * oldest are evicted. Every member rejects with `unavailable` when the store cannot be reached.
 */
export interface ExampleStore {
  /** The counts of the examples of a dataset; all 0 for one without examples. */
  counts(datasetId: string): Promise<ExampleCounts>;
  /** At most `limit` examples, 1 to 200, after a cursor of a page before. */
  list(
    datasetId: string,
    filter: ExampleFilter,
    page: { readonly limit: number; readonly cursor?: number | undefined },
  ): Promise<ExamplePage>;
  /** An example, or undefined. */
  get(datasetId: string, exampleId: string): Promise<DatasetExample | undefined>;
  /** Replaces an example, which keeps its place. Resolves to false where there is none. */
  update(example: DatasetExample): Promise<boolean>;
  /** Removes an example. Resolves to false where there was none. */
  delete(datasetId: string, exampleId: string): Promise<boolean>;
}
