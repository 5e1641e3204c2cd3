import { z } from 'zod';
import {
  type ConnectedModel,
  createLanguageModel,
  type LanguageModelOptions,
} from '../../../src/adapters/llm/language-model.ts';
import type { Generation, GenerationRequest, LanguageModel } from '../../../src/ports/language-model.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { noTelemetry, recordLogs } from '../../support/fakes.ts';

export const KEY = 'sk-canary-of-the-key';

/** A model at an address, with a fake clock unless another is given. */
export function connect(
  baseUrl: string,
  options: Partial<LanguageModelOptions> = {},
): Promise<ConnectedModel> {
  return createLanguageModel({
    apiKey: KEY,
    baseUrl,
    model: 'fake-model',
    timeoutMs: 15_000,
    maxRetries: 2,
    clock: createFakeClock(),
    random: () => 0.5,
    logger: recordLogs(),
    telemetry: noTelemetry,
    ...options,
  });
}

export const answerSchema = z.strictObject({ answer: z.string(), sure: z.boolean().nullable() });

export type Answer = z.output<typeof answerSchema>;

export const goodAnswer: Answer = { answer: 'yes', sure: true };

/** Calls a model with a question. */
export function generate(
  model: LanguageModel,
  request: Partial<GenerationRequest<Answer>> = {},
): Promise<Generation<Answer>> {
  return model({
    purpose: 'questioner',
    instructions: 'Answer the question.',
    data: { question: 'Is it?' },
    schema: answerSchema,
    signal: new AbortController().signal,
    ...request,
  });
}

/** The reason of a failed generation; null when it succeeded. */
export function reasonOf(generation: Generation<unknown>): string | null {
  return generation.status === 'error' ? generation.reason : null;
}
