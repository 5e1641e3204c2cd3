import type { Classification, Decision, Plan, ToolCall, Verdict } from '../../src/domain/message/message.ts';
import type { Stages } from '../../src/ports/stages.ts';

/** A complete decision with this value. */
export function decided<T>(value: T, more: Partial<Decision<T>> = {}): Decision<T> {
  return { value, source: 'deterministic', summary: 'scripted', data: {}, ...more };
}

/** The values that scripted stages decide. */
export interface Script {
  readonly classification?: Classification;
  readonly toolCalls?: readonly ToolCall[];
  readonly verdict?: Verdict;
  readonly reply?: string;
}

/** Stages that decide the same for every message. `overrides` replaces single stages. */
export function scriptedStages(script: Script = {}, overrides: Partial<Stages> = {}): Stages {
  const classification = script.classification ?? { intent: 'refund', confidence: 0.9 };
  const plan: Plan = { toolCalls: script.toolCalls ?? [] };
  const verdict = script.verdict ?? { escalated: false, reasons: [] };
  return {
    classify: () => decided(classification),
    plan: () => decided(plan),
    verify: () => decided(verdict),
    respond: () => decided(script.reply ?? 'We have refunded you.'),
    ...overrides,
  };
}
