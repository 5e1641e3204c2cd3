import { describe, expect, test } from 'vitest';
import { createDatasets } from '../../../src/application/datasets/datasets.ts';
import { type DatasetExample, INBOX_DATASET } from '../../../src/domain/inbox/example.ts';
import { sampleItem, timeAfter } from '../../support/inbox.ts';
import { testPorts } from '../../support/ports.ts';

/** Datasets with as many proposed examples, `item-0`, `item-1`, … */
async function setUp(count: number) {
  const { ports, clock } = testPorts();
  for (let index = 0; index < count; index++) {
    const item = sampleItem({ itemId: `item-${index}` });
    await ports.inbox.create(item);
    const example: DatasetExample = {
      exampleId: item.itemId,
      datasetId: INBOX_DATASET,
      status: 'proposed',
      message: `${index}`,
      intent: 'refund',
      escalated: null,
      traceId: 't',
      customerId: 'c',
      createdAt: timeAfter(index),
      decidedBy: null,
      decidedAt: null,
    };
    await ports.inbox.update({ item: { ...item, version: 2 }, expectedVersion: 1, example });
  }
  return { datasets: createDatasets(ports), ports, clock };
}

const accept = { status: 'accepted', by: 'ada' } as const;
const reject = { status: 'rejected', by: 'bo' } as const;

describe('the dataset of the inbox', () => {
  test('is there from the beginning, and counts its examples', async () => {
    const { datasets } = await setUp(3);
    await datasets.decide(INBOX_DATASET, 'item-0', accept);
    await datasets.decide(INBOX_DATASET, 'item-2', reject);
    expect(await datasets.list()).toEqual([
      { datasetId: 'inbox', counts: { proposed: 1, accepted: 1, rejected: 1 } },
    ]);
    expect(await (await setUp(0)).datasets.list()).toMatchObject([{ counts: { proposed: 0 } }]);
  });

  test('has decisions that say who made them and when, and that can be changed', async () => {
    const { datasets, clock } = await setUp(1);
    await clock.advance(5_000);
    expect(await datasets.decide(INBOX_DATASET, 'item-0', accept)).toMatchObject({
      status: 'accepted',
      decidedBy: 'ada',
      decidedAt: timeAfter(5_000),
    });
    await datasets.decide(INBOX_DATASET, 'item-0', reject);
    const { examples } = await datasets.examples(INBOX_DATASET, {}, { limit: 10 });
    expect(examples).toMatchObject([{ status: 'rejected', decidedBy: 'bo' }]);
  });

  test('is the only one: others, and unknown examples, are not_found', async () => {
    const { datasets, ports } = await setUp(1);
    const calls = [
      datasets.examples('x', {}, { limit: 10 }),
      datasets.decide('x', 'item-0', accept),
      datasets.accepted('x', 10),
      datasets.decide(INBOX_DATASET, 'x', accept),
    ];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
    }
    await ports.examples.delete(INBOX_DATASET, 'item-0');
    await expect(datasets.decide(INBOX_DATASET, 'item-0', accept)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('the accepted examples', () => {
  test('are all of them from any number of pages, or the newest', async () => {
    const { datasets } = await setUp(450);
    for (let index = 0; index < 450; index += 2) {
      await datasets.decide(INBOX_DATASET, `item-${index}`, accept);
    }
    const all = await datasets.accepted(INBOX_DATASET, 5_000);
    expect(all.map(({ message }) => message)).toEqual(Array.from({ length: 225 }, (_, at) => `${2 * at}`));
    const newest = await datasets.accepted(INBOX_DATASET, 2);
    expect(newest.map(({ message }) => message)).toEqual(['446', '448']);
  });
});
