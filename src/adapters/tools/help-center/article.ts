/** A help article for customers. */
export interface Article {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** Words that customers search for; they are never shown. */
  readonly topics: string;
}
