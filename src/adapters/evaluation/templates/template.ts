import type { BuiltInIntent, Concern, Disposition } from '../../../domain/message/message.ts';

/** Texts of synthetic tickets that expect the same. A placeholder `{name}` is filled with one of `fillings`. */
export interface TicketTemplate {
  /** What the customer wants; not judged when absent. */
  readonly intent?: BuiltInIntent;
  readonly texts: readonly string[];
  /** The tools that should be called for them; not judged when absent. */
  readonly tools?: readonly string[];
  /** What should happen with the reply; not judged when absent. */
  readonly disposition?: Disposition;
  /** The concerns that should be found; none when absent. */
  readonly concerns?: readonly Concern[];
}

/** Texts that raise a concern, and so have to be escalated, whatever else the customer wants. */
export function concernTemplate(concern: Concern, texts: readonly string[]): TicketTemplate {
  return { texts, concerns: [concern], disposition: 'escalated' };
}
