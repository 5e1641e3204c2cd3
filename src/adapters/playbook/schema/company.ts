import { z } from 'zod';
import type { StandardText } from '../../../domain/playbook/playbook.ts';
import { anyLanguage, playbookLimits, text, texts } from './fields.ts';

const limits = playbookLimits;

const tone = (description: string) =>
  texts(limits.textLength).optional().describe(`${description} By language, as plain text.`);

const toneMembers = {
  greeting: tone('The first line of every reply.'),
  closing: tone('The line before the signature.'),
  offer: tone('The last paragraph of an answer: how to say that it does not help.'),
  thanks: tone('The reply to thanks.'),
  welcome: tone('The reply to a greeting without a wish.'),
  masked: tone('The paragraph for a message in which card numbers or passwords were masked.'),
  handover: tone('The reply to a message that is handed to a person without a more special text.'),
  unresolved: tone('The same for a customer whose last answer did not help.'),
  upset: tone('The same for an upset customer.'),
  language: tone('The same for a message in a language without replies.'),
  human: tone('The same for a customer who asks for a person.'),
  not_found: tone('The reply where a tool found nothing and the intent has no text for it.'),
  failure: tone('The reply to a message that could not be processed.'),
} as const satisfies Record<StandardText, unknown>;

/** The schema of the member `company`. */
export const company = z.strictObject({
  name: text(limits.shortLength)
    .optional()
    .describe('The name of the company. `Customer service` when absent.'),
  signature: text(limits.shortLength)
    .optional()
    .describe('The last line of every reply. The name when absent.'),
  contact: z
    .record(
      z
        .string()
        .max(limits.nameLength)
        .regex(/^[a-z][a-z0-9_]*$/, { error: 'must consist of small letters, digits and underscores' })
        .refine((kind) => !(kind in {}), { error: 'is a reserved name; choose another one' }),
      text(limits.shortLength),
    )
    .refine((contact) => Object.keys(contact).length <= limits.contacts, {
      error: `has more than ${limits.contacts} members`,
    })
    .optional()
    .describe(
      'How to reach the company, by kind: email, phone, … Templates say `{{ company.contact.email }}`.',
    ),
  about: text(limits.textLength)
    .optional()
    .describe('What the company does, in a few sentences. A language model reads it.'),
  style: text(limits.textLength)
    .optional()
    .describe('How replies sound, such as `short and warm, du`. A language model reads it.'),
  languages: z
    .array(anyLanguage)
    .min(1)
    .max(limits.languages)
    .optional()
    .meta({
      description:
        'The languages of replies, as ISO 639-1 codes. The first is the default. With `*` a language model may answer in any other one.',
      default: ['en'],
    }),
  tone: z
    .strictObject(toneMembers)
    .optional()
    .describe('Texts of the service itself, in place of the built-in ones.'),
});
