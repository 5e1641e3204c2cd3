import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extensionSource } from './extension.ts';

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
