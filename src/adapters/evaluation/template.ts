import type { Intent } from '../../domain/message/message.ts';

/** What customers say who want something, in our own words; `{name}` is filled, as `fillings` say. */
export interface Wish {
  readonly intent: Intent;
  readonly texts: readonly string[];
  /** Tools that ought to be called for it. */
  readonly tools: readonly string[];
  /** Whether a person ought to take it. */
  readonly escalated: boolean;
}
