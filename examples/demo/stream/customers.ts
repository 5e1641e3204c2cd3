// Made-up customers, who write without end.

import { bodyOf, type Client } from '../client.ts';
import { makeConversation, makeMessage } from '../data/messages.ts';
import type { Random } from '../data/random.ts';
import { goals } from '../seed/messages.ts';
import { type Part, pause, repeat } from './repeat.ts';

/** A day of the demonstration, in milliseconds. */
const DAY_MS = 600_000;

/** Messages a second at noon and at midnight. */
const NOON = 2;
const MIDNIGHT = 0.3;

/** Milliseconds until the next message, at a time of the day of the demonstration. */
function gapAt(sinceStartMs: number, random: Random): number {
  const light = (1 + Math.cos((2 * Math.PI * sinceStartMs) / DAY_MS)) / 2;
  const perSecond = MIDNIGHT + (NOON - MIDNIGHT) * light;
  return (1_000 / perSecond) * (0.5 + random.next());
}

/** Writes messages, and now and then a conversation, with the rhythm of a day that takes ten minutes. */
export function writeMessages(client: Client, random: Random, part: Part): Promise<void> {
  const start = performance.now();
  let conversations = 0;
  return repeat(part, async () => {
    if (random.whole(1, 20) === 1) {
      conversations += 1;
      // The other customers do not wait for this one.
      void writeConversation(client, random, conversations, part).catch(part.onError);
    } else {
      await bodyOf(client.messages.$post({ json: makeMessage(random) }));
    }
    return gapAt(performance.now() - start, random);
  });
}

async function writeConversation(client: Client, random: Random, number: number, part: Part): Promise<void> {
  for (const json of makeConversation(random, number)) {
    if (part.signal.aborted) return;
    await bodyOf(client.messages.$post({ json }));
    await pause(random.whole(3_000, 12_000), part);
  }
}

/** Sends a goal every half minute or so. */
export function sendGoals(client: Client, random: Random, part: Part): Promise<void> {
  const further = [
    'Send the invoice of October to demo-7 and book a courier for Friday.',
    'Is there stock of the oak shelf? Then pack two of them. Tell the press about it.',
    'Repeat this: the warehouse closes at six.',
  ];
  return repeat(part, async () => {
    const goal = random.pick([...Object.values(goals), ...further]);
    await bodyOf(client.agents.route.$post({ json: { goal } }));
    return random.whole(15_000, 45_000);
  });
}
