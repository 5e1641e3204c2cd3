import { z } from 'zod';
import type { Concern } from '../../domain/message/message.ts';
import {
  DEFAULT_MODEL_THRESHOLD,
  type StandardText,
  type Sureness,
  sensitivities,
} from '../../domain/playbook/playbook.ts';
import { normalizeSteps, type ToolDefinition } from './definition.ts';
import {
  anyLanguage,
  duration,
  hoursOfDay,
  name,
  playbookLimits,
  replyTexts,
  text,
  texts,
  toolName,
} from './fields.ts';

const limits = playbookLimits;

const probability = z.number().min(0).max(1);

const entity = z
  .strictObject({
    name: name.describe(
      'The name, such as `job_number`. Templates and tools refer to it as `entities.job_number`.',
    ),
    pattern: text(limits.patternLength).describe(
      'A regular expression in the syntax of RE2, without look-ahead and back-references. The first match in a message counts, without regard to case. `\\b` is the border of a word. The group `(?<value>…)` is the value, else all of the match.',
    ),
    normalize: z
      .array(z.enum(normalizeSteps))
      .optional()
      .describe(
        'What is done with the value, in this order: `upper` and `lower` case, `compact` (spaces, dashes, dots and slashes out), `digits` (only digits stay).',
      ),
    examples: z
      .array(text(limits.shortLength))
      .max(limits.phrases)
      .optional()
      .describe('Texts that the pattern matches as a whole. They are checked.'),
  })
  .describe('Something that a message can name, such as a job number.');

const required = z.strictObject({
  entity: z.string().max(limits.nameLength).describe('The name of an entity.'),
  question: texts(limits.textLength).describe(
    'The reply that asks for it. By language: templates of Liquid.',
  ),
});

const tool = z.strictObject({
  name: toolName.describe('The tool: one of `tools`, an example tool, or a tool of an extension.'),
  input: z
    .record(z.string().min(1).max(limits.nameLength), z.json())
    .optional()
    .describe(
      'The input of the tool. A text in double braces after a dollar sign is CEL over `entities`, `message`, `customer` and `conversation`. A member that names something which the message does not is left out.',
    ),
});

const intent = z
  .strictObject({
    name: name.describe('The name, such as `repair_status`.'),
    description: text(limits.descriptionLength)
      .optional()
      .describe('What the customer wants, in one sentence. The words of the name when absent.'),
    examples: z
      .array(text(limits.exampleLength))
      .max(limits.examples)
      .optional()
      .describe('Messages with this intent, in the words of customers.'),
    threshold: probability
      .optional()
      .describe('From 0 to 1: a message with a lower confidence is handed to a person.'),
    model_threshold: probability
      .optional()
      .describe('The same for the confidence of a language model. That of the playbook when absent.'),
    required: z
      .array(required)
      .max(limits.required)
      .optional()
      .describe(
        'What the message has to name before it can be answered. The first that is missing is asked for.',
      ),
    tool: tool.optional().describe('The tool whose output answers the intent.'),
    tools: z
      .array(tool)
      .min(1)
      .max(limits.toolsOfIntent)
      .optional()
      .describe('The tools whose outputs together answer the intent, in place of `tool`.'),
    articles: z.boolean().optional().meta({
      description: 'Answer from the articles that name the intent. A `tool` goes first.',
      default: false,
    }),
    replies: replyTexts(
      'The reply. Without one, the answer lists what the tool or the articles brought.',
    ).optional(),
    not_found: replyTexts('The reply when the tool finds nothing.').optional(),
    handover: z.literal('always').optional().describe('Messages with this intent always go to a person.'),
  })
  .describe('What customers want, and how it is answered.');

const concern = z.strictObject({
  phrases: z
    .array(text(limits.phraseLength))
    .max(limits.phrases)
    .optional()
    .describe(
      'Further words that raise the concern. They are added to the built-in ones; case does not matter.',
    ),
  harmless: z
    .array(text(limits.exampleLength))
    .max(limits.harmless)
    .optional()
    .describe('Texts that do not raise the concern: what is ordinary in this trade.'),
  sensitivity: z.enum(sensitivities).optional().meta({
    description: 'How readily the concern is raised.',
    default: 'normal',
  }),
  priority: z.int().min(1).max(5).optional().describe('From 1, the most urgent, to 5.'),
  reply: replyTexts('The reply to a message with this concern.').optional(),
});

const concernMembers = {
  self_harm: concern.optional().describe('A customer may hurt themselves.'),
  injury: concern.optional().describe('Somebody is hurt or ill, or something is dangerous.'),
  threat: concern.optional().describe('A threat against people or property.'),
  fraud: concern.optional().describe('Stolen accounts or money, false mails in the name of the company.'),
  legal: concern.optional().describe('Lawyers, courts, legal claims.'),
  privacy: concern.optional().describe('Personal data: access, deletion, leaks.'),
  discrimination: concern.optional().describe('Discrimination or harassment.'),
  vulnerable: concern.optional().describe('Bereavement, illness, minors, hardship.'),
  press: concern.optional().describe('Journalists and authorities.'),
} as const satisfies Record<Concern, unknown>;

const modelConfidence = z
  .strictObject({
    certain: probability.optional().describe('Of what it calls certain.'),
    likely: probability.optional().describe('Of what it calls likely.'),
    unsure: probability.optional().describe('Of what it calls unsure.'),
  } satisfies Record<Sureness, unknown>)
  .describe(
    'The probability that the language model is right, by what it says of how sure it is. `evaluate --model-confidence` measures it. 0.95, 0.75 and 0.4 when absent.',
  );

const labels = z
  .record(
    text(limits.shortLength).refine((value) => !(value in {}), {
      error: 'is a reserved name; choose another one',
    }),
    texts(limits.shortLength).describe('The text of the value. By language, as plain text.'),
  )
  .refine((stated) => Object.keys(stated).length <= limits.labels, {
    error: `has more than ${limits.labels} members`,
  })
  .describe('Texts of values, for the filter `label` of templates: `{{ tool.state | label }}`. By value.');

const hours = z.strictObject({
  timezone: text(limits.nameLength).describe('An IANA name, such as Europe/Berlin.'),
  weekdays: hoursOfDay('Monday to Friday, such as 08:00-17:00. A day without hours is without work.'),
  monday: hoursOfDay('Overrides `weekdays`; `closed` for no work.'),
  tuesday: hoursOfDay('Overrides `weekdays`; `closed` for no work.'),
  wednesday: hoursOfDay('Overrides `weekdays`; `closed` for no work.'),
  thursday: hoursOfDay('Overrides `weekdays`; `closed` for no work.'),
  friday: hoursOfDay('Overrides `weekdays`; `closed` for no work.'),
  saturday: hoursOfDay('Such as 10:00-14:00. Without hours nobody works.'),
  sunday: hoursOfDay('Such as 10:00-14:00. Without hours nobody works.'),
});

const limit = z
  .union([
    duration,
    z.strictObject({
      within: duration.describe('Such as 15m, 2h or 1d.'),
      hours: z.enum(['always', 'opening']).optional().meta({
        description:
          'The time that counts: all of it (`always`), or only that within the `hours` of the playbook.',
        default: 'opening',
      }),
    }),
  ])
  .optional();

const sla = z.strictObject({
  1: limit.describe('For priority 1, the most urgent. 30m when absent.'),
  2: limit.describe('For priority 2. 2h when absent.'),
  3: limit.describe('For priority 3. 4h when absent.'),
  4: limit.describe('For priority 4. 1d when absent.'),
  5: limit.describe('For priority 5. 2d when absent.'),
});

/** The schema of a tool, whose output is what it is given. */
export type ToolSchema<T extends ToolDefinition> = z.ZodType<T>;

/** The schema of tools that are not checked: any object with a name. */
export const anyTool = z.looseObject({ name: z.string() });

/** The schema of a playbook, after the YAML is parsed. `tool` is the schema of a tool that the playbook declares. */
export function createPlaybookSchema<T extends ToolDefinition>({ tool }: { readonly tool: ToolSchema<T> }) {
  return z
    .strictObject({
      company: company
        .optional()
        .describe('The company: its name, how to reach it, its languages and its tone.'),
      mode: z.enum(['reply', 'draft']).optional().meta({
        description: '`draft`: no reply is sent before a person has seen it.',
        default: 'reply',
      }),
      auto_reply: z
        .array(z.string().max(limits.nameLength))
        .max(limits.intents)
        .optional()
        .describe(
          'The intents that may be answered automatically; the others become drafts. All when absent.',
        ),
      message_tools: z
        .array(toolName)
        .max(limits.tools)
        .optional()
        .describe(
          'Tools that messages of every intent may reach, beside those of their intents: `tools`, example tools, or tools of an extension. No other tool exists for messages.',
        ),
      example_tools: z.boolean().optional().meta({
        description: 'Whether the three example tools are there.',
        default: true,
      }),
      articles: text(limits.pathLength)
        .optional()
        .describe(
          'The folder of the articles, relative to this file: *.md with front matter (title, intents, languages).',
        ),
      entities: z.array(entity).max(limits.entities).optional().describe('Named patterns.'),
      intents: z.array(intent).max(limits.intents).describe('What customers want, and how it is answered.'),
      concerns: z
        .strictObject(concernMembers)
        .optional()
        .describe(
          'What always goes to a person. The built-in concerns cannot be switched off, only extended.',
        ),
      labels: labels.optional(),
      hours: hours.optional().describe('When people work. At any time when absent.'),
      sla: sla
        .optional()
        .describe(
          'How long an item may wait for a person, by priority: 30m, 2h or 1d, or an object with `within` and `hours`.',
        ),
      model_threshold: probability.optional().meta({
        description: 'The confidence of a language model from which on a message is answered.',
        default: DEFAULT_MODEL_THRESHOLD,
      }),
      model_confidence: modelConfidence.optional(),
      classifier: text(limits.pathLength)
        .optional()
        .describe('The file of a classifier that was trained on own tickets, relative to this file.'),
      tools: z.array(tool).max(limits.tools).optional().describe('HTTP tools.'),
      models: z
        .array(model)
        .max(limits.models)
        .optional()
        .describe('Language models with their prices. The one that LLM_MODEL names gives traces their cost.'),
    })
    .describe('A playbook: what a company answers, and how.');
}

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
const company = z.strictObject({
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
const model = z
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

/** The JSON Schema of a playbook file, for editors: what `playbook/playbook.schema.json` contains. */
export function playbookJsonSchema<T extends ToolDefinition>(tool: ToolSchema<T>): string {
  const { $schema, ...schema } = z.toJSONSchema(createPlaybookSchema({ tool }), {
    target: 'draft-7',
    io: 'input',
    // Checks of their own, such as that of two equal names, have no form in JSON Schema.
    unrepresentable: 'any',
  });
  return `${JSON.stringify({ $schema, title: 'Playbook', ...schema }, null, 2)}\n`;
}
