/** A help article, fit to be shown to customers. */
export interface Article {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** Words by which customers look for it; they are searched, never shown. */
  readonly topics: string;
}
