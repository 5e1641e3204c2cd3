import { z } from 'zod';
import type { SubTask } from '../../domain/routing/routing.ts';
import type { Decompose } from '../../ports/decompose.ts';
import type { LanguageModel, LlmObserver } from '../../ports/language-model.ts';
import type { Logger } from '../../ports/logger.ts';

/** Maximum number of subtasks of a goal, unless the context allows fewer. */
const MAX_SUBTASKS = 50;

/** Maximum length of a subtask's text, in characters, the same as of a message. */
const MAX_TEXT = 32_768;

/** Maximum number of agents in a prompt. */
const MAX_AGENTS = 128;

const schema = z.strictObject({
  subtasks: z
    .array(
      z.strictObject({
        agent_name: z.string(),
        text: z.string().refine((text) => text.length <= MAX_TEXT && text.trim() !== ''),
      }),
    )
    .refine((subtasks) => subtasks.length <= MAX_SUBTASKS),
});

type Reply = z.output<typeof schema>;

type ListedAgents = Parameters<Decompose>[1];

/** Options of {@link createLlmDecomposer}. */
export interface LlmDecomposerOptions {
  readonly model: LanguageModel;
  /** The keyword decomposer, for when the model fails. */
  readonly keyword: Decompose;
  readonly logger: Logger;
  readonly observer: LlmObserver;
}

/**
 * Creates a decomposer that asks the model. Subtasks are for registered agents only, with the same payload as those of
 * the keyword decomposer: the part as `text` and `message`, and the complete `goal`. The keywords decide when the model
 * fails, names an unknown agent or finds no subtask; the decomposition is then `keyword`.
 */
export function createLlmDecomposer({ model, keyword, logger, observer }: LlmDecomposerOptions): Decompose {
  return async (goal, agents, context) => {
    if (agents.length === 0) return keyword(goal, agents, context);
    const maxSubtasks = Math.min(MAX_SUBTASKS, context.maxSubtasks);
    const generation = await model({
      purpose: 'decomposer',
      instructions: instructionsFor(agents.slice(0, MAX_AGENTS), maxSubtasks),
      data: { goal },
      schema,
      signal: context.signal,
    });
    const { input, output } = generation.tokens;
    if (input + output > 0) observer.tokens('decomposer', input, output);
    const subtasks =
      generation.status === 'success' ? subtasksOf(generation.value, goal, agents, maxSubtasks) : [];
    if (subtasks.length > 0) return { decomposition: 'llm', subtasks };
    const reason = generation.status === 'success' ? 'bad_plan' : generation.reason;
    if (generation.status === 'success') {
      logger.warn('a reply of the language model was rejected', { stage: 'decomposer', reason });
    }
    if (reason !== 'interrupted') observer.fallback('decomposer', reason);
    return keyword(goal, agents, context);
  };
}

function instructionsFor(agents: ListedAgents, maxSubtasks: number): string {
  const listed = agents.map(({ name, description }) => ({ name, description }));
  return `You split a goal into parts, each for the one agent that can do it, in the order of the goal. The agents:
${JSON.stringify(listed)}
"text" is the part in the goal's own words, with everything that the agent needs to know. Add nothing that the goal does not ask for. At most ${maxSubtasks} parts; none when no agent fits.
Reply: {"subtasks": [{"agent_name": "<name>", "text": "<part>"}]}`;
}

/** The subtasks of a reply without duplicates; none when there are too many or one is for an unknown agent. */
function subtasksOf(
  reply: Reply,
  goal: string,
  agents: ListedAgents,
  maxSubtasks: number,
): readonly SubTask[] {
  const names = new Set(agents.map(({ name }) => name));
  const seen = new Set<string>();
  const subtasks: SubTask[] = [];
  for (const { agent_name: agentName, text } of reply.subtasks) {
    if (!names.has(agentName)) return [];
    const key = `${agentName} ${text}`;
    if (seen.has(key)) continue;
    seen.add(key);
    subtasks.push({ agentName, payload: { text, message: text, goal } });
  }
  return subtasks.length > maxSubtasks ? [] : subtasks;
}
