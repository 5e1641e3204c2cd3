import type { PlaybookDefinition } from '../../../../src/adapters/playbook/definition.ts';
import { createPlaybook } from '../../../../src/adapters/playbook/load.ts';
import { playbookContext } from '../../../../src/adapters/playbook-context.ts';
import { createPreparation } from '../../../../src/adapters/preparation/prepare.ts';
import { createAssessorFor } from '../../../../src/adapters/rule-based.ts';
import { createLlmStages, type ModelStage } from '../../../../src/adapters/stages/llm/stages.ts';
import { createStagesOf } from '../../../../src/adapters/stages/rule-based.ts';
import { createArticleFinder } from '../../../../src/adapters/tools/help-center/search.ts';
import type { MessageHistory } from '../../../../src/domain/message/conversation.ts';
import type { CustomerMessage, ToolOutcome } from '../../../../src/domain/message/message.ts';
import type { ModelPrice } from '../../../../src/domain/model-price.ts';
import { reachableTools } from '../../../../src/domain/playbook/playbook.ts';
import type { StageContext } from '../../../../src/ports/stages.ts';
import type { Tool } from '../../../../src/ports/tool.ts';
import { recordLogs } from '../../../support/fakes.ts';
import type { FakeModel } from '../../../support/llm/fake-model.ts';
import { recordModelUse } from '../../../support/llm/model-places.ts';

const signal = new AbortController().signal;
const context: StageContext = { signal };

/** The set-up of the stages under test. */
export interface Rig {
  readonly playbook?: PlaybookDefinition;
  /** The folder that the paths of the playbook are relative to. */
  readonly directory?: string;
  readonly stages?: readonly ModelStage[];
  readonly tools?: readonly Tool[];
  readonly price?: ModelPrice;
  readonly hasInbox?: boolean;
}

/** The facts about a message beside its text. */
export interface More extends Partial<CustomerMessage> {
  readonly history?: MessageHistory;
}

/** The stages of a model over a playbook, the built-in one unless another is given, at noon on 2 March 2026 in UTC. */
export function llmRig(model: FakeModel, rig: Rig = {}) {
  const playbook =
    rig.playbook && createPlaybook(rig.playbook, playbookContext('warning', {}) as never, rig).playbook;
  const { tools = [], hasInbox = true } = rig;
  const assessor = createAssessorFor({ playbook, hasInbox });
  const observer = recordModelUse();
  const stages = createLlmStages({
    findArticles: createArticleFinder(assessor.playbook.articles),
    model: model.ask,
    assessor,
    rules: createStagesOf(assessor, 0.45),
    enabled: new Set(rig.stages ?? ['classifier', 'planner', 'verifier', 'responder']),
    tools: () => tools,
    clock: { now: () => Date.UTC(2026, 2, 2, 12) },
    price: rig.price,
    logger: recordLogs(),
    observer,
  });
  const prepare = createPreparation({ redactPii: true, languages: assessor.playbook.company.languages });

  /** Takes a message through all stages; `outcomesOf` stands for the tools. */
  async function run(
    text: string,
    outcomesOf: (toolName: string) => ToolOutcome | undefined = () => undefined,
    more: More = {},
  ) {
    const { history, ...stated } = more;
    const message = prepare({ source: 'chat', customerId: 'c-1', message: text, ...stated }, history);
    const classification = await stages.classify(message, context);
    const { intent, otherIntents = [] } = classification.value;
    const reachable = reachableTools(assessor.playbook, [intent, ...otherIntents]);
    const hasTool = (name: string) => reachable.has(name) && tools.some((tool) => tool.name === name);
    const plan = await stages.plan({ message, classification: classification.value, hasTool }, context);
    const outcomes = plan.value.toolCalls.flatMap(({ toolName, input }) => {
      const outcome = outcomesOf(toolName);
      return outcome === undefined ? [] : [{ ...outcome, toolName, input }];
    });
    const verification = { message, classification: classification.value, outcomes };
    const verdict = await stages.verify(verification, context);
    const { escalated } = verdict.value;
    const { disposition = escalated ? 'escalated' : 'answered', concerns = [] } = verdict.value;
    const complete = { ...verdict.value, disposition, concerns } as const;
    const reply = await stages.respond({ ...verification, verdict: complete }, context);
    return { classification, plan, verdict, reply };
  }

  return { run, stages, assessor, observer, prepare };
}
