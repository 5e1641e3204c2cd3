import { signal } from '@preact/signals';
import {
  type AnyResponse,
  type Body,
  type Call,
  CallError,
  type PlainRequest,
  requestOf,
  send,
} from '../../../api/call.ts';
import { announce, say } from '../../../app/messages.tsx';
import { goTo, hrefTo, place } from '../../../app/router.ts';
import { mayChange } from '../../../app/settings.ts';
import { saidWords } from '../../../ui/effect-words.ts';
import { explain } from '../../../ui/states.tsx';
import { resolve } from './calls.ts';
import { forget } from './drafts.ts';
import { createHolder, type Held } from './held.ts';
import type { Case, Decision } from './types.ts';

/** The wait before a decision is sent, in milliseconds. */
const HOLD_MS = 10_000;

/** The most bytes of a request that a browser still sends while the page is being left, with some room. */
const MOST_HELD_BYTES = 60_000;

/** A decision that waits to be sent. */
export interface HeldDecision {
  readonly title: string;
  readonly decision: Decision;
  readonly plain: PlainRequest;
}

/** A decision that the service did not take. What was filled in is still there. */
export interface Refusal {
  readonly title: string;
  readonly error: CallError;
}

/** The decision that waits now. */
export const held = signal<Held<HeldDecision> | undefined>();

/** Decisions that were not taken, by item, until they are sent again or put aside. */
export const refusals = signal<ReadonlyMap<string, Refusal>>(new Map());

/** Grows when the page has changed something itself, so that what is shown is read again. */
export const changedHere = signal(0);

/** Each decision in a word, as a button says it. */
export const decisionWords: Readonly<Record<Decision['outcome'], string>> = {
  answered: 'Answer',
  dismissed: 'Dismiss',
  spam: 'Spam',
  approved: 'Approve',
  rejected: 'Reject',
  completed: saidWords.completed.word,
  failed: saidWords.failed.word,
  retry: saidWords.retry.word,
};

let removeMessage = (): void => undefined;

const holder = createHolder<HeldDecision>({
  now: Date.now,
  later(work, milliseconds) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
  async send(taken) {
    try {
      await send(resolve(taken.id, taken.request.decision));
      takeIn(taken);
      return true;
    } catch (error) {
      refuse(taken, toCallError(error));
      return false;
    }
  },
  sendLeaving(taken) {
    const { url, method, headers, body } = taken.request.plain;
    fetch(url, {
      method,
      headers: headers.map(([name, value]) => [name, value]),
      body: body ?? null,
      keepalive: true,
    }).then(
      async (response) => {
        // The page may have come back, or is still there.
        if (response.ok) return takeIn(taken);
        await send(async () => response).catch((error: unknown) => refuse(taken, toCallError(error)));
      },
      (error: unknown) => refuse(taken, toCallError(error)),
    );
  },
  onChange(now) {
    held.value = now;
    if (now === undefined) removeMessage();
  },
});

globalThis.addEventListener('pagehide', () => holder.leave());

function takeIn({ id, request }: Held<HeldDecision>): void {
  forget(id);
  putAside(id);
  changedHere.value++;
  tell(id, `Sent: ${decisionWords[request.decision.outcome].toLowerCase()}, “${request.title}”`, {
    tone: 'good',
  });
}

function refuse({ id, request }: Held<HeldDecision>, error: CallError): void {
  refusals.value = new Map(refusals.value).set(id, { title: request.title, error });
  changedHere.value++;
  tell(id, `Not sent: “${request.title}”. ${whyNot(error)}`, { tone: 'bad', ms: 12_000 });
}

/** Says what became of a decision. Where its item is open, that stands there: then only who hears the page is told. */
function tell(id: string, text: string, options: Parameters<typeof say>[1]): void {
  if (isOpen(id)) announce(text);
  else say(text, options);
}

const isOpen = (id: string): boolean => place.value.path[0] === 'inbox' && place.value.path[1] === id;

/** The reason for the refusal of a decision, as a sentence. */
export function whyNot(error: CallError): string {
  // The service tells versions, which mean nothing to the reader.
  if (error.message.includes('its version is')) return 'Somebody has changed the item meanwhile.';
  return explain(error).replace(/[.]?$/, '.');
}

/** Holds a decision for ten seconds. What was held before is sent. */
export async function holdDecision({ item_id, title }: Case, decision: Decision): Promise<void> {
  const plain = await requestOf(resolve(item_id, decision));
  putAside(item_id);
  holder.hold(item_id, { title, decision, plain }, HOLD_MS);
  if (new TextEncoder().encode(plain.body).length > MOST_HELD_BYTES) {
    // It would be lost if the page were left.
    void holder.flush();
    return;
  }
  announce(`Sent in 10 s: ${decisionWords[decision.outcome]}`);
}

/** Shows that a decision is still held, once the reader has left the place where that stands. */
export function tellHeld(): void {
  const waiting = held.value;
  const [page, id] = place.value.path;
  // Another item sends it at once.
  if (waiting === undefined || (page === 'inbox' && id !== undefined)) return;
  const { decision, title } = waiting.request;
  removeMessage = say(`Not sent yet: ${decisionWords[decision.outcome].toLowerCase()}, “${title}”`, {
    undo: undoHeld,
    ms: waiting.sendsAt - Date.now(),
  });
}

/** Takes back the decision that is held, and goes to its item. */
export function undoHeld(): void {
  const taken = holder.undo();
  if (taken !== undefined && !isOpen(taken.id)) goTo(hrefTo(['inbox', taken.id]));
}

/** Sends the decision that is held. Resolves to false when it was refused. */
export const sendHeld = (): Promise<boolean> => holder.flush();

/** Removes what is said about a decision that was not taken. */
export function putAside(id: string): void {
  refusals.value = new Map([...refusals.value].filter(([other]) => other !== id));
}

/** Sends a request at once, and says what came of it. Undefined when it was refused. */
export async function act<Answer extends AnyResponse>(
  label: string,
  call: Call<Answer>,
  done?: string,
): Promise<{ readonly value: Body<Answer> } | undefined> {
  if (!mayChange()) return;
  try {
    const value = await send(call);
    // Whoever looks sees it at the item.
    if (done !== undefined) announce(done);
    return { value };
  } catch (error) {
    say(`${label}: ${explain(toCallError(error))}`, { tone: 'bad', ms: 12_000 });
    return;
  } finally {
    changedHere.value++;
  }
}

function toCallError(error: unknown): CallError {
  return error instanceof CallError ? error : new CallError('The service cannot be reached.', 'away');
}
