import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { program } from '../../build/service.ts';
import { type Block, blocksOf, guidePath, pageAt } from '../support/docs/pages.ts';
import { differences } from '../support/docs/replies.ts';
import { type Program, startProgram } from '../support/process/program.ts';

/** A reader of the page: an empty folder, what was started in other terminals, and what was printed last. */
interface Reader {
  readonly folder: string;
  readonly port: number;
  readonly bookingsPort: number;
  readonly started: Program[];
  printed: string;
}

/** Stands for `npx` in a folder where the package is installed. */
const npx = `#!/bin/sh
[ "$1" = orchestration-service ] || exit 9
shift
exec ${JSON.stringify(process.execPath)} ${JSON.stringify(program)} "$@"
`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('there is no free port');
  return address.port;
}

/** A text of the page with the addresses of this run. */
function local(text: string, { port, bookingsPort }: Reader): string {
  return text
    .replaceAll('127.0.0.1:8000', `127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:8070', `127.0.0.1:${bookingsPort}`);
}

function start(reader: Reader, script: string): Program {
  const env = {
    PATH: `${join(reader.folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    PORT: String(reader.port),
    BOOKINGS_PORT: String(reader.bookingsPort),
  };
  return startProgram('bash', ['-euc', script], { cwd: reader.folder, env });
}

/** Does what a block of the page says. Returns what is wrong with it. */
async function follow({ mark, language, code }: Block, reader: Reader): Promise<string[]> {
  const path = (name: string): string => join(reader.folder, name);
  const [, file] = /^file (\S+)$/.exec(mark) ?? [];
  if (file !== undefined) {
    await mkdir(dirname(path(file)), { recursive: true });
    await writeFile(path(file), `${local(code, reader)}\n`);
    return [];
  }
  const [, added] = /^end of (\S+)$/.exec(mark) ?? [];
  if (added !== undefined) {
    await writeFile(path(added), `\n${local(code, reader)}\n`, { flag: 'a' });
    return [];
  }
  const [, line, edited] = /^above "(.+)" in (\S+)$/.exec(mark) ?? [];
  if (line !== undefined && edited !== undefined) {
    const before = await readFile(path(edited), 'utf8');
    if (!before.includes(`\n${line}\n`)) return [`${edited} has no line ${line}`];
    await writeFile(
      path(edited),
      before.replace(`\n${line}\n`, () => `\n${local(code, reader)}\n${line}\n`),
    );
    return [];
  }
  if (mark === 'prints') return reader.printed.trim() === code ? [] : [`printed ${reader.printed}`];
  if (mark === 'reply') return differences(JSON.parse(code), JSON.parse(reader.printed), new Map());
  if (mark.startsWith('service')) {
    await stopAll(reader);
    const [, other] = /^service with (\S+)$/.exec(mark) ?? [];
    if (other !== undefined) {
      const program = start(reader, `BOOKINGS_TOKEN='Bearer secret' exec node ${other}`);
      reader.started.push(program);
      await program.waitForOutput(/ready/);
    }
    const service = start(reader, code.replace('npx', 'exec npx'));
    reader.started.push(service);
    await service.waitForOutput(/"listening"/);
    return [];
  }
  if (language !== 'sh' || mark !== '') return ['has no mark that says what a reader does with it'];
  const { code: exit, stdout, stderr } = await start(reader, local(code, reader)).ended;
  reader.printed = stdout
    .split('\n')
    .filter((text) => !text.startsWith('wrote '))
    .join('\n');
  return exit === 0 ? [] : [`exit code ${exit}: ${stderr}${stdout}`];
}

async function stopAll({ started }: Reader): Promise<void> {
  await Promise.all(started.splice(0).map((program) => program.stop('SIGKILL')));
}

test('every step of docs/make-it-yours.md works in an empty folder, in order', {
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'make-it-yours-'));
  const reader: Reader = {
    folder,
    port: await freePort(),
    bookingsPort: await freePort(),
    started: [],
    printed: '',
  };
  try {
    await mkdir(join(folder, 'bin'));
    await writeFile(join(folder, 'bin/npx'), npx);
    await chmod(join(folder, 'bin/npx'), 0o755);
    for (const block of blocksOf(pageAt(guidePath))) {
      const issues = await follow(block, reader);
      expect({ place: block.place, issues }).toEqual({ place: block.place, issues: [] });
    }
  } finally {
    await stopAll(reader);
    await rm(folder, { recursive: true, force: true });
  }
});
