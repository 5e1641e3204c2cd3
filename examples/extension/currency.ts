// An extension: a tool over HTTP, and an agent that uses the same function.
// CURRENCY_URL=https://rates.example EXTENSIONS=./currency.ts npx orchestration-service

import { defineTool, type Extension, ToolError } from 'orchestration-service/tools';
import { z } from 'zod';

const TIMEOUT_MS = 2_000;

const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be three capital letters')
  .describe('A currency by its code, such as EUR.');

const rateReply = z.object({ rate: z.number().positive() });

const extension: Extension = ({ tools, agents }) => {
  const baseUrl = process.env['CURRENCY_URL'];
  if (baseUrl === undefined) throw new Error('CURRENCY_URL must say where exchange rates are asked for');

  /** The rate between two currencies. Throws `ToolError`, whose text users may see; other errors are only logged. */
  async function rateOf(from: string, to: string, signal: AbortSignal): Promise<number> {
    const reply = await fetch(new URL(`/rates/${from}/${to}`, baseUrl), {
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (reply.status === 404) {
      throw new ToolError(`there is no exchange rate from ${from} to ${to}`, { permanent: true });
    }
    if (!reply.ok) throw new ToolError(`the exchange rates could not be asked for: status ${reply.status}`);
    return rateReply.parse(await reply.json()).rate;
  }

  tools.register(
    defineTool({
      name: 'convert_currency',
      description: 'Converts an amount of money from one currency to another at the present rate.',
      effect: 'read',
      input: z.object({ amount: z.number().positive(), from: currency, to: currency }),
      async execute({ amount, from, to }, { signal }) {
        const rate = await rateOf(from, to, signal);
        return { amount: Math.round(amount * rate * 100) / 100, currency: to, rate };
      },
    }),
  );

  agents.register({
    name: 'currency',
    description: 'Tells exchange rates. Wants a text with two currency codes, such as "EUR to USD".',
    keywords: ['exchange rate', 'currency', 'convert'],
    async handle({ payload }, { signal }) {
      const [from, to] = String(payload['text']).match(/\b[A-Z]{3}\b/g) ?? [];
      if (from === undefined || to === undefined) {
        throw new ToolError('text: must name two currencies by their codes', { permanent: true });
      }
      return { from, to, rate: await rateOf(from, to, signal) };
    },
  });
};

export default extension;
