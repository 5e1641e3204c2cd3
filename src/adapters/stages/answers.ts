import type { ToolOutcome } from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import type { PlaybookIntent, RequiredEntity } from '../../domain/playbook/playbook.ts';
import { getOwn } from '../../lib/json/json.ts';
import type { VerificationInput } from '../../ports/stages.ts';
import type { Assessor } from './assessor.ts';
import { replyValues } from './template-values.ts';
import { answerOf } from './tool-answers.ts';

/**
 * The text that answers each wish of a message, in the order of the wishes. Undefined where there is none: the
 * playbook has no text in the language, or a tool did not bring what the text names.
 */
export type Answers = readonly (string | undefined)[];

/** The answers to a message, and what they were made from. */
export interface MadeAnswers {
  readonly outcomes: readonly ToolOutcome[];
  readonly intent: string;
  readonly language: string;
  readonly answers: Answers;
}

/** The answers to a message: those that were made before, where they were made from the same. */
export function makeAnswers(
  input: VerificationInput,
  language: string,
  assessor: Assessor,
  before: MadeAnswers | undefined,
): MadeAnswers {
  const { message, outcomes, classification } = input;
  const { intent } = classification;
  if (before?.outcomes === outcomes && before.intent === intent && before.language === language) {
    return before;
  }
  const wishes = assessor.wishesOf(message, classification).map(assessor.intentOf);
  const answers = wishes.map((wish) => answerWish(wish, input, wishes.length, language, assessor));
  return { outcomes, intent, language, answers };
}

function answerWish(
  intent: PlaybookIntent,
  { message, outcomes }: VerificationInput,
  wishes: number,
  language: string,
  assessor: Assessor,
): string | undefined {
  const { playbook } = assessor;
  const own = wishes === 1 ? outcomes : outcomes.filter((outcome) => isFor(outcome, intent, assessor));
  const values = replyValues(message, assessor.entitiesOf(message), playbook.company, own);
  const missing = missingEntity(intent, message, assessor);
  if (missing !== undefined && own.length === 0) return missing.question.get(language)?.render(values);
  if (own.some(({ notFound }) => notFound === true)) {
    return intent.notFound.get(language)?.render(values) ?? playbook.texts.get(language)?.not_found;
  }
  const rendered = intent.replies.get(language)?.render(values);
  if (rendered !== undefined) return rendered;
  // What a tool brought is listed only where a company states no text: it may have members that no customer should see.
  // The built-in playbook lists what a tool in place of an example brought, as before.
  if (intent.replies.size > 0 && playbook.source !== 'built-in') return undefined;
  const answers = own.flatMap((outcome) => answerOf(outcome) ?? []);
  return answers.length > 0 ? answers.join('\n\n') : undefined;
}

/** The first thing that a message has to name for an intent and does not. */
export function missingEntity(
  { required }: PlaybookIntent,
  message: PreparedMessage,
  assessor: Assessor,
): RequiredEntity | undefined {
  if (required.length === 0) return undefined;
  const entities = assessor.entitiesOf(message);
  return required.find(({ entity }) => entities[entity] === undefined);
}

/** True for an outcome of a call that the playbook states for an intent. */
export function isFor(
  { toolName, input }: ToolOutcome,
  { tools, name }: PlaybookIntent,
  { playbook }: Assessor,
): boolean {
  if (tools.length > 0) return tools.some((tool) => tool.name === toolName);
  return toolName === playbook.articlesTool && getOwn(input, 'intent') === name;
}
