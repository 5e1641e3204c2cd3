// Workflows, for a service that has just been started.

import { bodyOf, type Client, type Definition } from '../client.ts';
import { firstRefund, laterRefunds } from '../data/refund.ts';
import { checks, letter, migration, order, parcel, statement, statements } from '../data/workflows.ts';

/** The workflows of the demonstration, by their ids. */
export interface DemoWorkflows {
  /** Three versions, and an approval above an amount. */
  readonly refund: string;
  /** `foreach`, retries with back-off, and a clean-up that always runs. */
  readonly order: string;
  /** Takes some seconds, and may wait for a time. */
  readonly parcel: string;
  readonly statement: string;
  /** Runs `statement` for each customer. */
  readonly statements: string;
  /** Forty steps in one layer. */
  readonly checks: string;
  /** 300 steps in 30 layers. */
  readonly migration: string;
  /** One step of the effect `write`. */
  readonly letter: string;
}

/** Creates the workflows, with all versions. */
export async function seedWorkflows(client: Client): Promise<DemoWorkflows> {
  const create = async (json: Definition): Promise<string> =>
    (await bodyOf(client.workflows.$post({ json }))).id;
  const statementId = await create(statement);
  const ids = {
    letter: await create(letter),
    migration: await create(migration),
    checks: await create(checks),
    statement: statementId,
    statements: await create(statements(statementId)),
    parcel: await create(parcel),
    order: await create(order),
    refund: await create(firstRefund),
  };
  for (const json of laterRefunds) {
    await bodyOf(client.workflows[':id'].$put({ param: { id: ids.refund }, json }));
  }
  return ids;
}
