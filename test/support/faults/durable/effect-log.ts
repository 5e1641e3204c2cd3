import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A line of a tool or agent: it began, ended, or was told to stop. */
export interface EffectLine {
  readonly what: 'begin' | 'end' | 'abort';
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly pid: number;
  readonly effect: 'read' | 'idempotent' | 'write';
  /** The token of the run, which the caller that started it has chosen. */
  readonly token: string;
  readonly step: string;
  /** The idempotency key of the call; `-` for agents. */
  readonly key: string;
  /** The mark of another step that the input refers to; `-` for none. */
  readonly seen: string;
  /** A random text of this call. */
  readonly mark: string;
}

/** The lines of a step, in their order, by `<token>:<step>`. */
export type EffectLines = ReadonlyMap<string, readonly EffectLine[]>;

/** A log of the side effects of steps, which the service knows nothing of. */
export interface EffectLog {
  /** A folder for the files of the run. */
  readonly folder: string;
  /** The path of the extension that writes the log. */
  readonly extension: string;
  read(): Promise<EffectLines>;
  remove(): Promise<void>;
}

/** Creates an empty log and its extension. */
export async function createEffectLog(): Promise<EffectLog> {
  const folder = await mkdtemp(join(tmpdir(), 'durable-'));
  const file = join(folder, 'effects.txt');
  const extension = join(folder, 'effects.mjs');
  await writeFile(file, '');
  await writeFile(extension, extensionSource(file));
  return {
    folder,
    extension,
    async read() {
      const lines = new Map<string, EffectLine[]>();
      for (const text of (await readFile(file, 'utf8')).split('\n')) {
        if (text === '') continue;
        const line = parseLine(text);
        const key = `${line.token}:${line.step}`;
        const known = lines.get(key);
        if (known === undefined) lines.set(key, [line]);
        else known.push(line);
      }
      return lines;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function parseLine(text: string): EffectLine {
  const fields = text.split(' ').map(decodeURIComponent);
  const [what = '', at, pid, effect = '', token = '', step = '', , key = '', seen = '', mark] = fields;
  if (!isOneOf(['begin', 'end', 'abort'], what) || !isOneOf(['read', 'idempotent', 'write'], effect))
    throw new Error(`not a line of the log: ${text}`);
  if (mark === undefined) throw new Error(`a line of the log is incomplete: ${text}`);
  return { what, at: Number(at), pid: Number(pid), effect, token, step, key, seen, mark };
}

function isOneOf<const T extends string>(values: readonly T[], text: string): text is T {
  return values.some((value) => value === text);
}

/**
 * The source of an extension whose tools and agents append a line to `file` when they begin, end and are told to stop.
 * They return a new random `mark`, so that a repeated step has another output. The fields of a line: what happened,
 * milliseconds since the epoch, process id, effect, token of the run, step, attempt of the call (`-` for agents),
 * idempotency key, the mark that the input refers to, and the own mark. With `deadly` the process is killed in place of
 * the end.
 */
const extensionSource = (file: string): string => `
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
