// An extension: a tool and an agent that call an HTTP service.
// CURRENCY_URL=https://rates.example EXTENSIONS=./currency.ts npx orchestration-service

import { defineTool, type Extension, ToolError } from 'orchestration-service/tools';
import { z } from 'zod';

const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be three capital letters')
  .describe('A currency by its code, such as EUR.');

const rateReply = z.object({ rate: z.number().positive() });

const extension: Extension = ({ tools, agents }) => {
  const baseUrl = process.env['CURRENCY_URL'];
  if (baseUrl === undefined) throw new Error('CURRENCY_URL must be the URL of the exchange rates');
  const timeoutMs = Number(process.env['CURRENCY_TIMEOUT_MS'] ?? 2_000);

  /** The rate between two currencies. Throws `ToolError`, because users see only the texts of such errors. */
  async function rateOf(from: string, to: string, signal: AbortSignal): Promise<number> {
    const timed = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const url = new URL(`/rates/${from}/${to}`, baseUrl);
    const reply = await fetch(url, { signal: timed }).catch((cause: unknown) => {
      throw new ToolError('the exchange rates cannot be reached', { cause });
    });
    if (reply.status === 404) {
      // A retry would not find it either.
      throw new ToolError(`there is no exchange rate from ${from} to ${to}`, { permanent: true });
    }
    const body = reply.ok ? await reply.json().catch(() => undefined) : undefined;
    const { success, data } = rateReply.safeParse(body);
    if (!success) throw new ToolError(`the exchange rates were answered with status ${reply.status}`);
    return data.rate;
  }

  tools.register(
    defineTool({
      name: 'convert_currency',
      description: 'Converts an amount of money from one currency to another at the current rate.',
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
    description: 'Returns an exchange rate. Needs a text with two currency codes, such as "EUR to USD".',
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
