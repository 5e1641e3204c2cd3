import { z } from 'zod';
import { playbookLimits, text } from './fields.ts';

const limits = playbookLimits;

const amount = (description: string) => z.number().min(0).max(limits.price).describe(description);

const price = z.strictObject({
  input: amount('For a million tokens of input.'),
  cached_input: amount(
    'For a million tokens of input that the provider had in its cache. As `input` when absent.',
  ).optional(),
  output: amount('For a million tokens of output.'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, { error: 'must be a currency code of three capital letters, such as USD' })
    .optional()
    .describe('A code of ISO 4217, such as USD.'),
});

/**
 * The schema of an entry of `models`. The forms of addresses and keys are checked by `checkModels`, because errors of
 * a schema show the value, and a key may stand there by mistake.
 */
export const model = z
  .strictObject({
    name: z
      .string()
      .max(limits.nameLength)
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, {
        error: 'must be the name of a model entry: letters, digits, dots, hyphens and underscores',
      })
      .describe('The name by which others refer to the entry.'),
    model: text(limits.modelLength).describe('The name of the model, as its provider knows it.'),
    base_url: z
      .string()
      .max(limits.pathLength)
      .optional()
      .describe('The address of an OpenAI-compatible server, with `/v1`. LLM_BASE_URL when absent.'),
    api_key: z
      .string()
      .max(limits.shortLength)
      .optional()
      .describe('`env:NAME` takes the key from the environment. LLM_API_KEY when absent.'),
    price: price.optional().describe('What it costs.'),
    fallback: z
      .string()
      .max(limits.nameLength)
      .optional()
      .describe('The name of the entry that is asked when this one cannot be had.'),
  })
  .describe('A language model, with its price.');
