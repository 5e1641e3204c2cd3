import { z } from 'zod';
import { concerns, intents } from '../../../domain/message/message.ts';

const language = z.string().regex(/^[a-z]{2}$/, 'must be a language code of two letters');

const texts = z.record(language, z.string().min(1));

const intent = z.strictObject({
  name: z.enum(intents),
  description: z.string(),
  examples: z.array(z.string()).default([]),
  threshold: z.number().min(0).max(1).optional(),
  required: z.array(z.strictObject({ entity: z.string(), question: texts })).default([]),
  tool: z.strictObject({ name: z.string(), input: z.record(z.string(), z.string()).default({}) }).optional(),
  articles: z.boolean().default(false),
  handover: z.literal('always').optional(),
  replies: texts.default({}),
  not_found: texts.default({}),
});

const concern = z.strictObject({ priority: z.int().min(1).max(5), reply: texts });

/** The schema of a playbook file, after the YAML is parsed. */
export const playbookSchema = z.strictObject({
  company: z.strictObject({
    name: z.string(),
    signature: z.string(),
    languages: z.array(language).min(1).default(['en']),
  }),
  articles: z.string().optional(),
  intents: z.array(intent),
  concerns: z.record(z.enum(concerns), concern),
});

/** A playbook file with its defaults. */
export type PlaybookFile = z.output<typeof playbookSchema>;
