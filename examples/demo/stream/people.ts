// Made-up colleagues, who keep the inbox at a length at which a visitor always finds work.

import { bodyOf, type Client, tried } from '../client.ts';
import type { Random } from '../data/random.ts';
import { type Part, repeat } from './repeat.ts';

/** The numbers of items that are left for the visitor, by kind. */
const LEFT = { escalation: 18, draft: 3, approval: 4 } as const;

/** The number of examples that are left for review. */
const EXAMPLES_LEFT = 12;

const colleagues = ['Demo: Ann', 'Demo: Ann', 'Demo: Ben'] as const;
const replies = [
  'Thank you for your patience. We have sent a new one today.',
  'I am sorry for the trouble. The money is on its way back to you.',
  'I have called you about this; everything is settled.',
] as const;
const notes = [
  'The same customer wrote last week.',
  'I have asked the warehouse.',
  'Waits for a photo.',
] as const;

type Item = Awaited<ReturnType<typeof openItems>>['items'][number];

/** Resolves, claims or notes an item every few seconds, and judges examples where many wait. */
export function workOnInbox(client: Client, random: Random, part: Part): Promise<void> {
  return repeat(part, async () => {
    const { items, counts } = await openItems(client);
    const spare = items.filter(({ kind }) => kind !== 'recovery' && counts.kinds[kind] > LEFT[kind]);
    const by = random.pick(colleagues);
    if (spare.length > 0) await resolve(client, random, random.pick(spare), by);
    else if (items.length > 0 && random.whole(1, 6) === 1) await look(client, random, random.pick(items), by);
    await judge(client, random);
    return random.whole(1_500, 4_000);
  });
}

/** The first open items in the order of the inbox, and how many of each kind wait. */
function openItems(client: Client) {
  return bodyOf(client.inbox.$get({ query: { status: 'open', limit: '60' } }));
}

/** Ends an item as it was seen: where the visitor has changed it meanwhile, the answer is 409, and theirs counts. */
async function resolve(client: Client, random: Random, item: Item, by: string): Promise<void> {
  const { item_id: id, version } = item;
  const json = { by, version, ...decisionAbout(item, random) };
  await tried(client.inbox[':id'].resolve.$post({ param: { id }, json }));
}

function decisionAbout({ kind, reasons }: Item, random: Random) {
  const place = random.whole(1, 10);
  if (kind === 'approval') {
    return place <= 7
      ? { outcome: 'approved' as const, data: { reason: random.pick(['goodwill', 'warranty', 'mistake']) } }
      : { outcome: 'rejected' as const, note: 'Not without a photo.' };
  }
  if (kind === 'draft') return { outcome: 'answered' as const };
  const wasRight = !reasons.includes('low_confidence');
  if (place <= 7) {
    return { outcome: 'answered' as const, response: random.pick(replies), escalation_right: wasRight };
  }
  return { outcome: 'dismissed' as const, escalation_right: wasRight, note: random.pick(notes) };
}

/** Claims an item for some minutes, or writes a note. */
async function look(
  client: Client,
  random: Random,
  { item_id: id, version }: Item,
  by: string,
): Promise<void> {
  const param = { id };
  if (random.whole(1, 2) === 1)
    await tried(client.inbox[':id'].claim.$post({ param, json: { by, version } }));
  else
    await tried(client.inbox[':id'].notes.$post({ param, json: { by, version, note: random.pick(notes) } }));
}

/** Accepts or rejects the oldest proposed example, when there are many. */
async function judge(client: Client, random: Random): Promise<void> {
  const { datasets } = await bodyOf(client.datasets.$get());
  const dataset = datasets.find(({ proposed }) => proposed > EXAMPLES_LEFT);
  if (dataset === undefined) return;
  const param = { id: dataset.dataset_id };
  const query = { status: 'proposed' as const, limit: '1' };
  const { examples } = await bodyOf(client.datasets[':id'].examples.$get({ param, query }));
  const [oldest] = examples;
  if (oldest === undefined) return;
  const judgement = random.whole(1, 10) === 1 ? 'reject' : 'accept';
  await tried(
    client.datasets[':id'].examples[':example_id'][judgement].$post({
      param: { ...param, example_id: oldest.example_id },
      json: { by: 'Demo: Cleo' },
    }),
  );
}
