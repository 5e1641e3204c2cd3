import type { PlaybookDefinition } from '../../../src/adapters/playbook/definition.ts';
import { createPlaybook } from '../../../src/adapters/playbook/load.ts';
import { playbookContext } from '../../../src/adapters/playbook-context.ts';
import { createAssessorFor } from '../../../src/adapters/rule-based.ts';
import { createStagesOf } from '../../../src/adapters/stages/rule-based.ts';
import type { HttpToolDefinition } from '../../../src/adapters/tools/http/http-tool.ts';
import type { ToolOutcome, Verdict } from '../../../src/domain/message/message.ts';
import type { PreparedMessage } from '../../../src/domain/message/prepared.ts';
import { parseDecision, parseReply, parseVerdict } from '../../../src/domain/message/stage-contract.ts';
import type { IntentClassifier } from '../../../src/domain/playbook/intent-classifier.ts';
import type { Playbook } from '../../../src/domain/playbook/playbook.ts';
import { context } from './stage-inputs.ts';

/**
 * The playbook of a dentist, in English and German. Few examples say little about how sure a classifier is, and so the
 * thresholds are stated.
 */
export const dentist: PlaybookDefinition<HttpToolDefinition> = {
  company: { name: 'Practice Dr Sand', signature: 'Your practice', languages: ['en', 'de'] },
  entities: [{ name: 'visit', pattern: 'V-[0-9]{4}', examples: ['V-1234'] }],
  intents: [
    {
      name: 'move_visit',
      threshold: 0.5,
      description: 'Wants another appointment.',
      examples: [
        'Can I move my appointment?',
        'I need another time for my visit',
        'Please reschedule V-1234',
      ],
      required: [
        { entity: 'visit', question: { en: 'Which visit is it?', de: 'Um welchen Termin geht es?' } },
      ],
      tool: { name: 'free_times', input: { visit: '${{ entities.visit }}', for: '${{ customer.id }}' } },
      replies: { en: 'Free: {{ tool.times | join: ", " }}.', de: 'Frei: {{ tool.times | join: ", " }}.' },
      not_found: { en: 'There is no visit {{ entities.visit }}.' },
    },
    {
      name: 'parking',
      threshold: 0.5,
      description: 'Asks where to park.',
      examples: ['Where can I park?', 'Is there a car park near the practice?', 'Wo kann ich parken?'],
      replies: { en: 'Behind the house.', de: 'Hinter dem Haus.' },
    },
    {
      name: 'prices',
      threshold: 0.5,
      description: 'Asks what something costs.',
      examples: ['What does a cleaning cost?', 'How much is a crown?', 'prices of fillings'],
      replies: { en: 'See the list at the desk.' },
    },
    {
      name: 'pain',
      description: 'Is in pain.',
      examples: ['My tooth hurts badly', 'I have a terrible toothache'],
      handover: 'always',
      threshold: 0.5,
    },
  ],
};

/** The decisions of the stages for a message under a playbook. */
export interface OwnDecisions {
  readonly intent: string;
  readonly confidence: number;
  readonly calls: readonly (readonly [string, object])[];
  readonly verdict: Verdict;
  readonly reply: string;
}

/** Makes a playbook, which must have no fault. */
export function playbookOf(definition: PlaybookDefinition<HttpToolDefinition>): Playbook {
  return createPlaybook(definition, playbookContext('fault')).playbook;
}

/** Runs messages through the stages of a playbook. `outcomeOf` answers the tools. */
export function decideWith(
  playbook: Playbook,
  {
    classifier,
    threshold = 0.45,
    hasInbox,
  }: { classifier?: IntentClassifier; threshold?: number; hasInbox?: boolean } = {},
) {
  const stages = createStagesOf(createAssessorFor({ playbook, classifier, hasInbox }), threshold);
  return async (
    message: PreparedMessage,
    outcomeOf?: (name: string) => Partial<ToolOutcome>,
  ): Promise<OwnDecisions> => {
    const { value: classification } = await stages.classify(message, context);
    const plan = await stages.plan({ message, classification, hasTool: () => true }, context);
    const outcomes = plan.value.toolCalls.map(
      (call): ToolOutcome => ({
        ...call,
        status: 'success',
        output: {},
        attempts: 1,
        error: null,
        durationMs: 1,
        ...outcomeOf?.(call.toolName),
      }),
    );
    const input = { message, classification, outcomes };
    const verdict = parseDecision(await stages.verify(input, context), parseVerdict).value;
    const replied = await stages.respond({ ...input, verdict }, context);
    const reply = verdict.disposition === 'no_reply' ? '' : parseReply(replied.value);
    const calls = plan.value.toolCalls.map(({ toolName, input: sent }) => [toolName, sent] as const);
    return { ...classification, calls, verdict, reply };
  };
}
