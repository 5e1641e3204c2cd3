import type { Case, Decision, Draft, Item, Outcome } from './types.ts';

/** A decision that can be sent, or what it still needs, in words for the reader. */
export type Decided =
  | { readonly decision: Decision }
  | { readonly missing: string; readonly field: 'response' | 'output' | 'outcome' };

/** The text that the editor starts with: the reply that the service has written, where a person may send it. */
function startOf(item: Pick<Item, 'kind' | 'draft'>): string {
  return item.kind === 'draft' ? (item.draft ?? '') : '';
}

/** The text of the editor. */
export function responseOf(item: Pick<Item, 'kind' | 'draft'>, draft: Draft): string {
  return draft.response ?? startOf(item);
}

/** The reply that the service wrote for an escalated message and must not send; null where there is none. */
export function unsentReplyOf({ kind, draft }: Pick<Item, 'kind' | 'draft'>): string | null {
  return kind === 'escalation' && draft !== null && draft.trim() !== '' ? draft : null;
}

/** A text with the draft of the service: below what a person has written already, and only once. */
export function withDraft(text: string, draft: string): string {
  if (text.includes(draft)) return text;
  return text.trim() === '' ? draft : `${text.trimEnd()}\n\n${draft}`;
}

/**
 * Makes the request of a decision out of what is filled in. `version` is that of the item as the reader has seen it.
 */
export function decide(
  item: Pick<Case, 'kind' | 'draft' | 'response_schema' | 'version'>,
  draft: Draft,
  outcome: Outcome,
  by: string,
): Decided {
  const remark = draft.remark?.trim();
  const base = { outcome, by, ...(remark && { note: remark }), version: item.version };
  if (item.kind === 'approval') return { decision: { ...base, ...dataOf(item, draft, outcome) } };
  if (item.kind === 'recovery') return withOutput(base, draft);
  const about = {
    ...base,
    ...(draft.intent && { intent: draft.intent }),
    ...(draft.right !== undefined && { escalation_right: draft.right }),
  };
  if (outcome !== 'answered') return { decision: about };
  const response = responseOf(item, draft);
  // Without a response, the draft is to be sent as it is.
  if (item.kind === 'draft' && response === item.draft) return { decision: about };
  if (response.trim() === '') return { missing: 'Write the answer first.', field: 'response' };
  return { decision: { ...about, response } };
}

/** The decision that the customer was answered elsewhere: answered, without a text. */
export function answeredElsewhere(item: Parameters<typeof decide>[0], draft: Draft, by: string): Decision {
  const decided = decide(item, { ...draft, response: 'elsewhere' }, 'answered', by);
  if (!('decision' in decided)) throw new Error('a decision with a text is complete');
  const { response: _, ...decision } = decided.decision;
  return decision;
}

function dataOf(
  { response_schema }: Pick<Case, 'response_schema'>,
  { data }: Draft,
  outcome: Outcome,
): Pick<Decision, 'data'> {
  if (outcome !== 'approved' || (response_schema === null && data === undefined)) return {};
  return { data: data ?? {} };
}

function withOutput(base: Decision, { output = '' }: Draft): Decided {
  if (base.outcome !== 'completed' || output.trim() === '') return { decision: base };
  try {
    const value: unknown = JSON.parse(output);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { decision: { ...base, output: { ...value } } };
    }
  } catch {
    // It is told below.
  }
  return { missing: 'The output must be a JSON object, such as {"sent": true}.', field: 'output' };
}
