import type { StageName } from '../../domain/events.ts';
import type { Limits } from '../../domain/limits.ts';
import type { CallContext } from '../../domain/message/call-context.ts';
import type {
  CompleteVerdict,
  Decision,
  Handover,
  ToolCall,
  ToolOutcome,
} from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import {
  parseClassification,
  parseDecision,
  parsePlan,
  parseResponse,
  parseVerdict,
} from '../../domain/message/stage-contract.ts';
import type { Trace } from '../../domain/message/trace.ts';
import { reachableTools } from '../../domain/playbook/playbook.ts';
import type { Awaitable } from '../../lib/async/awaitable.ts';
import { withTimeout } from '../../lib/async/timeout.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StageContext } from '../../ports/stages.ts';
import type { ToolSet } from '../tools/registry.ts';
import type { MessageRun } from './message-run.ts';
import { interruptedFailure, PipelineFailure, toPipelineFailure } from './pipeline-failure.ts';
import type { InUse } from './playbook-in-use.ts';

/**
 * Runs a message through classify, plan, execute tools, verify and respond, to COMPLETED (specification, section 3).
 * Rejects with the error of the part that failed; `signal` is aborted when the service shuts down.
 */
export type Pipeline = (run: MessageRun, inUse: InUse, signal: AbortSignal | undefined) => Promise<Trace>;

/** Where nothing must be sent the response is empty, whatever the responder wrote. */
function parseNoReply(): Handover {
  return { reply: '', reasons: [] };
}

/** The reasons for which the pipeline itself gives a message to a person. */
export const pipelineReasons = {
  /** A person holds the conversation. */
  held: 'person_holds',
  /** The caller wants a person to see the reply. */
  draft: 'draft_requested',
} as const;

/**
 * The verdict after the rules that hold for the stages of embedders as well: a conversation that a person holds is not
 * answered, and a reply is a draft where the caller wants that. Without an inbox nobody would see a draft.
 */
function complete(
  verdict: CompleteVerdict,
  { history, draft }: PreparedMessage,
  hasInbox: boolean,
): CompleteVerdict {
  const { disposition, reasons } = verdict;
  const add = (reason: string) => (reasons.includes(reason) ? reasons : [...reasons, reason]);
  if (disposition === 'no_reply') return verdict;
  const escalated = { escalated: true, disposition: 'escalated' } as const;
  if (history?.isHeld === true) return { ...verdict, ...escalated, reasons: add(pipelineReasons.held) };
  const isDraft = disposition === 'draft' || (disposition === 'answered' && draft === true);
  if (!isDraft) return verdict;
  const outcome = hasInbox ? ({ disposition: 'draft' } as const) : escalated;
  return { ...verdict, ...outcome, reasons: draft === true ? add(pipelineReasons.draft) : reasons };
}

/** What tools are told about the message of a run. */
function callContextOf({ traceId, message }: MessageRun): CallContext {
  const { customerId, source, conversationId = null, metadata = null, subject = null, prepared } = message;
  return { traceId, conversationId, customerId, source, metadata, message: { text: prepared.text, subject } };
}

/** Creates the pipeline. Each message brings the stages and tools that are in use at its start. */
export function createPipeline(
  { clock, telemetry }: Pick<Ports, 'clock' | 'telemetry'>,
  limits: Limits,
  hasInbox: boolean,
): Pipeline {
  const timeoutMs = limits.stageTimeoutMs;

  /** Runs a stage with a timeout, validates what it returned, and records the decision. */
  function decide<T>(
    run: MessageRun,
    stage: StageName,
    parseValue: (value: unknown) => T,
    signal: AbortSignal | undefined,
    work: (context: StageContext) => Awaitable<Decision<unknown>>,
  ): Promise<T> {
    return telemetry.span(`stage ${stage}`, { stage }, async (span) => {
      try {
        const returned = await withTimeout((stageSignal) => work({ signal: stageSignal }), {
          clock,
          timeoutMs,
          signal,
        });
        const decision = parseDecision(returned, parseValue);
        span.set({ source: decision.source });
        run.recordDecision(stage, decision);
        return decision.value;
      } catch (error) {
        throw toPipelineFailure(`${stage}_error`, error, `the ${stage} failed`);
      }
    });
  }

  /**
   * Calls the planned tools one after the other. The first one that fails ends the run; finding nothing is no failure.
   */
  async function executeTools(
    run: MessageRun,
    tools: ToolSet,
    calls: readonly ToolCall[],
    signal: AbortSignal | undefined,
  ): Promise<readonly ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    const context = callContextOf(run);
    for (const [index, call] of calls.entries()) {
      const idempotencyKey = `${run.traceId}:${index}`;
      const outcome = await tools.execute(call, {
        idempotencyKey,
        signal,
        context,
        customerId: run.message.customerId,
        emit: run.recordToolCall,
      });
      if (outcome.status === 'error' && outcome.notFound !== true) {
        if (signal?.aborted) throw interruptedFailure(signal);
        throw new PipelineFailure('tool_error', `${outcome.toolName}: ${outcome.error}`);
      }
      outcomes.push(outcome);
    }
    return outcomes;
  }

  return async (run, { playbook, stages, tools }, signal) => {
    const { message } = run;
    const parseIntent = (value: unknown) => parseClassification(value, playbook.intents);

    const classification = await decide(run, 'classifier', parseIntent, signal, (context) =>
      stages.classify(message, context),
    );
    run.classification = classification;
    run.enter('CLASSIFIED');

    run.enter('PLANNING');
    const { intent, otherIntents = [] } = classification;
    // Whatever planned, by rules or by a model: for a message only the tools that the playbook gives it exist.
    const reachable = reachableTools(playbook, [intent, ...otherIntents]);
    const hasTool = (name: string) => reachable.has(name) && tools.has(name);
    const parseReachable = (value: unknown) =>
      parsePlan(value, (name) => reachable.has(name) || !tools.has(name));
    const plan = await decide(run, 'planner', parseReachable, signal, (context) =>
      stages.plan({ message, classification, hasTool }, context),
    );

    run.enter('TOOL_EXECUTION');
    // No tool acts beside a person.
    const calls = message.history?.isHeld === true ? [] : plan.toolCalls;
    const outcomes = await executeTools(run, tools, calls, signal);

    run.enter('VERIFYING');
    const parse = (value: unknown) => complete(parseVerdict(value), message, hasInbox);
    const verdict = await decide(run, 'verifier', parse, signal, (context) =>
      stages.verify({ message, classification, outcomes }, context),
    );
    const { concerns } = verdict;
    run.reasons = verdict.reasons;
    run.draft = verdict.draft;
    if (verdict.escalated) run.recordEscalation(verdict.reasons);
    const parseReply = verdict.disposition === 'no_reply' ? parseNoReply : parseResponse;
    const { reply, reasons } = await decide(run, 'responder', parseReply, signal, (context) =>
      stages.respond({ message, classification, outcomes, verdict }, context),
    );
    const isHandedOver = !verdict.escalated && reasons.length > 0;
    if (isHandedOver) {
      run.reasons = reasons;
      run.recordEscalation(reasons);
    }
    const { escalated, disposition } = isHandedOver
      ? ({ escalated: true, disposition: 'escalated' } as const)
      : verdict;
    return run.finish({
      status: 'COMPLETED',
      escalated,
      disposition,
      concerns,
      response: reply,
      error: null,
    });
  };
}
