import type { PreparedMessage } from '../../../domain/message/prepared.ts';
import type { EntityMatch, PlaybookEntity } from '../../../domain/playbook/playbook.ts';
import { findAskedOrderId, findOrderId } from './order-id.ts';
import { findRefundReason } from './refund-reason.ts';

/** What a message names, by the name that a playbook has for it. */
export type Entities = Readonly<Record<string, string>>;

/**
 * What is found by code, because no pattern says it: a playbook may use it, or replace it by a pattern of that name.
 */
export const builtInEntities: readonly PlaybookEntity[] = [
  { name: 'order_id', find: (text) => asItStands(findOrderId(text)) },
  { name: 'refund_reason', find: (text) => asItStands(findRefundReason(text)) },
];

function asItStands(value: string | undefined): EntityMatch | undefined {
  return value === undefined ? undefined : { value, text: value };
}

/**
 * Creates the search for what a text names; `isAsked` after a question for an order number, when a bare one is
 * enough.
 */
export function createTextFinder(
  stated: readonly PlaybookEntity[],
): (text: string, isAsked: boolean) => Entities {
  const find = createEntityFinder(stated);
  const isOwn = stated.some(({ name }) => name === 'order_id');
  return (text, isAsked) => {
    const found = find({ prepared: { text, setApart: [], language: 'und', automatic: false } });
    const asked = isAsked && !isOwn && found['order_id'] === undefined ? findAskedOrderId(text) : undefined;
    return asked === undefined ? found : { ...found, order_id: asked };
  };
}

/**
 * Creates the search for what a message names: its newest text first, then its subject. What is not found is not a
 * member.
 */
export function createEntityFinder(
  stated: readonly PlaybookEntity[],
): (message: Pick<PreparedMessage, 'prepared' | 'subject'>) => Entities {
  const own = new Set(stated.map(({ name }) => name));
  const entities = [...stated, ...builtInEntities.filter(({ name }) => !own.has(name))];
  return ({ prepared, subject }) => {
    const found: Record<string, string> = {};
    for (const { name, find } of entities) {
      const match = find(prepared.text) ?? (subject ? find(subject) : undefined);
      if (match !== undefined) found[name] = match.value;
    }
    return found;
  };
}
