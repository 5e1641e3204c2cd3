import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openSqliteFile } from '../../../src/adapters/sqlite/file.ts';
import { createLayout } from '../../../src/adapters/sqlite/layout.ts';
import { storageTables } from '../../../src/application/storage/storage.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import { makeFile, newPath, openFile } from '../../support/sqlite/files.ts';
import { newRun } from '../../support/workflow/run-events.ts';

const options = { logger: silentLogger, layout: createLayout(storageTables) };

/** A path in a folder that exists. */
async function pathInFolder(): Promise<string> {
  const path = await newPath();
  mkdirSync(dirname(path));
  return path;
}

/** A file of the service with some hundred pages, closed. */
async function filledFile(): Promise<string> {
  const { path, adapters } = await makeFile();
  const input = { text: 'x'.repeat(2_000) };
  const { runs } = adapters.ports;
  const numbers = Array.from({ length: 200 }, (_, number) => number);
  await Promise.all(numbers.map((number) => runs.create(newRun(`run-${number}`, { input }))));
  await adapters.close();
  return path;
}

describe('opening a file', () => {
  test('creates it with its folder, and opens it again', async () => {
    const { path, adapters } = await makeFile();
    await adapters.ports.runs.create(newRun('execution-1'));
    await adapters.close();
    const again = openFile(path);
    expect(await again.adapters.ports.runs.summary('execution-1')).toMatchObject({ runId: 'execution-1' });
  });

  test('leaves nothing beside the file when it is closed', async () => {
    const { path, adapters } = await makeFile();
    await adapters.ports.runs.create(newRun('execution-1'));
    await adapters.close();
    await adapters.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
    await expect(adapters.ports.runs.create(newRun('execution-2'))).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(adapters.ports.runs.get('execution-1')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('refuses a file that is open already', async () => {
    const { path } = await makeFile();
    expect(() => openSqliteFile(path, options)).toThrow(`SQLITE_PATH: ${path} is in use by another process`);
  });

  test.each([
    ['text', Buffer.from('no database\n'.repeat(1_000))],
    ['a few bytes', Buffer.from('x')],
    ['zeros', Buffer.alloc(8_192)],
  ])('refuses %s, and leaves it as it is', async (_, content) => {
    const path = await pathInFolder();
    writeFileSync(path, content);
    expect(() => openSqliteFile(path, options)).toThrow(/^SQLITE_PATH: .* name another file$/);
    expect(readFileSync(path).equals(content)).toBe(true);
  });

  test('refuses a database of another program, and leaves it as it is', async () => {
    const path = await pathInFolder();
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE runs (id); INSERT INTO runs VALUES (1)');
    other.close();
    const before = readFileSync(path);
    expect(() => openSqliteFile(path, options)).toThrow('is a database of another program');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test.each([
    [99, 'a later version'],
    [6, 'an unreleased version'],
  ])('refuses a file of another version: %i', async (version, writer) => {
    const path = await filledFile();
    const other = new DatabaseSync(path);
    other.exec(`PRAGMA user_version = ${version}`);
    other.close();
    const before = readFileSync(path);
    expect(() => openSqliteFile(path, options)).toThrow(
      `SQLITE_PATH: ${path} was written by ${writer} of this service (schema ${version}, this one has 7)`,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('finds damaged pages wherever they are, names the file, and leaves it as it is', async () => {
    const path = await filledFile();
    const intact = readFileSync(path);
    const pages = intact.length / 4_096;
    expect(pages).toBeGreaterThan(100);
    let refused = 0;
    for (const page of [1, 2, 5, 10, 20, 50, 100].filter((each) => each < pages)) {
      const damaged = join(dirname(path), `damaged-${page}.db`);
      const content = Buffer.from(intact);
      content.fill(0xa5, page * 4_096, page * 4_096 + 512);
      writeFileSync(damaged, content);
      try {
        openSqliteFile(damaged, options).database.close();
      } catch (error) {
        expect(String(error)).toBe(
          `SqliteFileError: SQLITE_PATH: ${damaged} is damaged; move it aside and restore a backup`,
        );
        expect(readFileSync(damaged).equals(content)).toBe(true);
        refused += 1;
      }
    }
    // A page of texts only has no structure that could be checked.
    expect(refused).toBeGreaterThanOrEqual(5);
  });

  test('refuses a file that ends too early', async () => {
    const path = await filledFile();
    writeFileSync(path, readFileSync(path).subarray(0, statSync(path).size / 2));
    expect(() => openSqliteFile(path, options)).toThrow('is damaged');
  });

  test('refuses a folder, and a path through a file', async () => {
    const path = await pathInFolder();
    expect(() => openSqliteFile(dirname(path), options)).toThrow('is a folder');
    writeFileSync(path, '');
    expect(() => openSqliteFile(join(path, 'x.db'), options)).toThrow(
      'has a folder in its path that is a file',
    );
  });

  test('reads what a process had committed that was killed', async () => {
    const { path, adapters } = await makeFile();
    await adapters.ports.runs.create(newRun('execution-1'));
    const copy = join(dirname(path), 'copy.db');
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    const { adapters: after } = openFile(copy);
    expect(await after.ports.runs.summary('execution-1')).toMatchObject({ runId: 'execution-1' });
  });
});

describe('a copy', () => {
  test('is made while the file is written, and has every record that was stored before', async () => {
    const { path, adapters } = await makeFile();
    const { runs } = adapters.ports;
    const numbers = Array.from({ length: 500 }, (_, number) => number);
    await Promise.all(numbers.map((number) => runs.create(newRun(`before-${number}`))));
    const copy = join(dirname(path), 'copy.db');
    let isCopied = false;
    const copying = adapters.backup(copy).finally(() => {
      isCopied = true;
    });
    for (let number = 0; !isCopied; number++) await runs.create(newRun(`during-${number}`));
    await copying;
    const { adapters: restored } = openFile(copy);
    for (const number of numbers) {
      expect(await restored.ports.runs.get(`before-${number}`)).toEqual(await runs.get(`before-${number}`));
    }
  });

  test('by VACUUM INTO is a file of the service', async () => {
    const path = await filledFile();
    const copy = join(dirname(path), 'copy.db');
    const stopped = new DatabaseSync(path);
    stopped.prepare('VACUUM INTO ?').run(copy);
    stopped.close();
    const { adapters } = openFile(copy);
    expect(await adapters.ports.runs.list('workflow-1', {}, { limit: 1, offset: 0 })).toMatchObject({
      total: 200,
    });
  });
});
