/** The statuses of an example: it is used once a person has accepted it. */
export const exampleStatuses = ['proposed', 'accepted', 'rejected'] as const;

/** One of {@link exampleStatuses}. */
export type ExampleStatus = (typeof exampleStatuses)[number];

/** The dataset of what people have decided in the inbox. */
export const INBOX_DATASET = 'inbox';

/** A message and how it should have been handled, as a person has decided. Times are in ISO 8601. */
export interface DatasetExample {
  /** The id of the item that it comes from. */
  readonly exampleId: string;
  readonly datasetId: string;
  readonly status: ExampleStatus;
  /** The newest text of the message, with masked secrets. */
  readonly message: string;
  readonly intent: string;
  /** True where a person has to see the message; null where nobody has said. */
  readonly escalated: boolean | null;
  readonly traceId: string;
  readonly customerId: string;
  readonly createdAt: string;
  /** The person who accepted or rejected it, and the time; null while it is proposed. */
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
}
