// The tools of the example: the accounts of four invented customers, and their post.

import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, type Extension, ToolError } from 'orchestration-service/tools';
import { z } from 'zod';

interface Account {
  readonly address: string | null;
  readonly balance: number;
}

const accounts: Readonly<Record<string, Account>> = {
  'c-1': { address: 'kim@example.com', balance: 120 },
  'c-2': { address: 'noor@example.com', balance: -35 },
  'c-3': { address: null, balance: 10 },
  'c-4': { address: 'alex@example.com', balance: 0 },
};

const extension: Extension = ({ tools }) => {
  tools.register(
    defineTool({
      name: 'list_customers',
      description: 'Returns the ids of all customers.',
      effect: 'read',
      input: z.object({}),
      output: z.object({ ids: z.array(z.string()) }),
      execute: () => ({ ids: Object.keys(accounts) }),
    }),
  );

  tools.register(
    defineTool({
      name: 'read_account',
      description: 'Returns the address and the balance of a customer at the end of a month.',
      effect: 'read',
      input: z.object({ customer_id: z.string(), month: z.string() }),
      output: z.object({ address: z.string().nullable(), balance: z.number() }),
      execute({ customer_id }) {
        const account = accounts[customer_id];
        if (account === undefined)
          throw new ToolError(`there is no customer ${customer_id}`, { notFound: true });
        return { ...account };
      },
    }),
  );

  tools.register(
    defineTool({
      name: 'send_statement',
      description: 'Sends a statement, once for each key.',
      effect: 'idempotent',
      input: z.object({ address: z.string().nullable(), balance: z.number() }),
      output: z.object({ sent_to: z.string() }),
      async execute({ address }, { signal }) {
        if (address === null) throw new ToolError('the customer has no address', { permanent: true });
        await sleep(Number(process.env['POST_DELAY_MS'] ?? 20), undefined, { signal });
        return { sent_to: address };
      },
    }),
  );
};

export default extension;
