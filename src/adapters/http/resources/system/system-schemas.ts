import { z } from '@hono/zod-openapi';

const count = (description: string) => z.number().int().describe(description);

const limitsSchema = z.object({
  max_body_bytes: count('Bytes of a request body'),
  max_batch_size: count('Messages of a batch'),
  max_workflow_steps: count('Steps of a definition'),
  max_foreach_items: count('Items that a step with `foreach` runs for'),
  max_child_runs: count('Runs that one run may have below it at each depth'),
  max_concurrent_steps: count('Steps of a layer that run at the same time'),
  max_background_runs: count('Background executions that run at the same time'),
  max_waiting_runs: count('Background executions that may wait for their start'),
  max_event_streams: count('Event streams that are open at the same time'),
  max_subtasks: count('Subtasks of a goal'),
  max_input_bytes: count('Bytes of the input of a step'),
  max_output_bytes: count('Bytes of the output of a tool, an agent or a step'),
  tool_max_attempts: count('Attempts at a tool call, the first included'),
  tool_timeout_ms: count('Milliseconds for an attempt at a tool call'),
  agent_timeout_ms: count('Milliseconds for the reply of an agent'),
  cancel_grace_ms: count('Milliseconds in which the steps of a cancelled execution may end by themselves'),
  inbox_claim_ms: count('Milliseconds for which a person has an item of the inbox to themselves'),
  idempotency_ttl_ms: count('Milliseconds for which the answer to an idempotency key is kept'),
  rate_limit: z
    .object({
      requests: count('Requests of a client address in a window'),
      window_seconds: count('Length of the window'),
    })
    .nullable()
    .describe('Null without a limit'),
});

/** The response of `GET /system`. */
export const systemSchema = z
  .object({
    version: z.string().describe('Version of the service'),
    node: z.string().describe('Version of Node'),
    started_at: z.string().describe('When the process started'),
    uptime_seconds: count('Seconds since then'),
    notice: z
      .string()
      .nullable()
      .describe('A sentence for everybody who works with the service, as plain text: `CONSOLE_NOTICE`'),
    storage: z
      .object({
        backend: z.enum(['memory', 'sqlite', 'kvstore', 'postgres']).describe('Where records are stored'),
        run_recovery: z
          .enum(['interrupt', 'resume'])
          .describe('What becomes of an execution whose process has stopped'),
        max_recoveries: z
          .number()
          .int()
          .nullable()
          .describe('How often it continues without a step that completes in between; null with `interrupt`'),
        unknown_outcome: z
          .enum(['fail', 'ask', 'retry'])
          .nullable()
          .describe('What becomes of its `write` steps that were under way; null with `interrupt`'),
      })
      .nullable()
      .describe('Null where the app is embedded in a program that does not say it'),
    model: z
      .object({
        configured: z.boolean().describe('Whether a language model is connected'),
        name: z.string().nullable().describe('Its name'),
        stages: z.array(z.string()).describe('The stages that it backs'),
      })
      .describe('The language model'),
    playbook: z
      .object({
        name: z.string().nullable().describe('The company'),
        version: z
          .string()
          .describe(
            'A short hash of all that decides: the playbook, its articles, its classifier and its tools. Of this replica: another one may still have the last one, or have been reloaded already',
          ),
        mode: z.enum(['reply', 'draft']).describe('`draft`: a person sees each reply before it is sent'),
        intents: count('How many intents it has'),
      })
      .describe('What the company answers, and how'),
    authentication: z
      .object({
        enabled: z.boolean().describe('Whether requests need a key'),
        keys: count('How many keys are accepted'),
      })
      .describe('The API keys'),
    inbox: z.boolean().describe('Whether there is an inbox'),
    queue: z
      .object({ waiting_runs: count('Background executions that wait for their start, in all replicas') })
      .describe('The queue of executions'),
    limits: limitsSchema.describe('The bounds that a caller meets, most of them named like their settings'),
    settings: z
      .array(z.string())
      .describe(
        'The names of the settings in the environment or in `.env`, sorted, those of secrets too; never a value',
      ),
  })
  .openapi('System');
