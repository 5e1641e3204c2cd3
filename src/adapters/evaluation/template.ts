import type { Intent } from '../../domain/message/message.ts';

/** Texts of synthetic tickets with one intent. A placeholder `{name}` is filled with one of `fillings`. */
export interface TicketTemplate {
  readonly intent: Intent;
  readonly texts: readonly string[];
  /** The tools that should be called for them. */
  readonly tools: readonly string[];
  /** Whether they should be escalated. */
  readonly escalated: boolean;
}
