/**
 * The source of an extension whose tools and agents append a line to `file` when they begin, end and are told to stop.
 * They return a new random `mark`, so that a repeated step has another output. The fields of a line: what happened,
 * milliseconds since the epoch, process id, effect, token of the run, step, attempt of the call (`-` for agents),
 * idempotency key, the mark that the input refers to, and the own mark. With `deadly` the process is killed in place of
 * the end.
 */
export const extensionSource = (file: string): string => `
import { randomUUID } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const log = openSync(${JSON.stringify(file)}, 'a');

const anything = {
  safeParse: (data) => ({ success: true, data }),
  toJSONSchema: () => ({ type: 'object' }),
};

async function act(effect, input, key, attempt, signal) {
  const mark = randomUUID();
  const write = (what) => {
    const fields = [what, Date.now(), process.pid, effect, input.token, input.step, attempt, key, input.seen ?? '-', mark];
    writeSync(log, fields.map((field) => encodeURIComponent(field)).join(' ') + '\\n');
  };
  write('begin');
  try {
    await sleep(input.ms, undefined, { signal });
  } catch (error) {
    write('abort');
    throw error;
  }
  if (input.deadly === true) process.kill(process.pid, 'SIGKILL');
  write('end');
  return { mark };
}

export default ({ tools, agents }) => {
  for (const effect of ['read', 'idempotent', 'write']) {
    tools.register({
      name: 'act_' + effect,
      description: 'Appends lines to a file.',
      effect,
      timeoutMs: 600_000,
      input: anything,
      execute: (input, { idempotencyKey, attempt, signal }) => act(effect, input, idempotencyKey, attempt, signal),
    });
  }
  for (const effect of ['read', 'write']) {
    agents.register({
      name: 'agent_' + effect,
      description: 'Appends lines to a file.',
      effect,
      handle: ({ payload }, { signal }) => act(effect, payload, '-', '-', signal),
    });
  }
};
`;
