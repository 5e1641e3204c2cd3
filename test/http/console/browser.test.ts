import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY, startConsole } from '../../support/console/proxy.ts';
import { startServer } from '../../support/outbound/server.ts';
import { chromium as chromiumProgram, findProgram } from '../../support/process/programs.ts';

let profile: string;
let browser: BrowserContext;

beforeAll(async () => {
  const executablePath = await findProgram(chromiumProgram);
  profile = await mkdtemp(join(tmpdir(), 'chromium-'));
  browser = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
      // A name of an attacker that leads to this machine.
      '--host-resolver-rules=MAP evil.example 127.0.0.1',
    ],
  });
});

afterAll(async () => {
  await browser?.close();
  await rm(profile, { recursive: true, force: true });
});

describe('a console in a browser', () => {
  test('opens with its address, reads and changes, and lets no other page do so', async () => {
    const upstream = await startServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"ok":true}');
    });
    const elsewhere = await startServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Elsewhere</title>');
    });
    const proxy = await startConsole(`http://127.0.0.1:${upstream.port}`);
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(proxy.url);
    expect(page.url()).toBe(`http://127.0.0.1:${proxy.port}/console/`);
    expect(await page.title()).toBe('Console');
    const statuses = await page.evaluate(async () => {
      const read = await fetch('../tools');
      const changed = await fetch('../workflows', { method: 'POST', body: '{}' });
      return [read.status, changed.status];
    });
    expect(statuses).toEqual([200, 200]);
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(errors).toEqual([]);
    expect(
      upstream.received.map(({ method, headers }) => [method, headers['x-api-key'], headers.cookie]),
    ).toEqual([
      ['GET', KEY, undefined],
      ['POST', KEY, undefined],
    ]);

    // A page of another port is of the same site: it sends the cookie along. One of a foreign name leads here too.
    for (const origin of [`http://127.0.0.1:${elsewhere.port}`, `http://evil.example:${elsewhere.port}`]) {
      await page.goto(`${origin}/`);
      const answers = await page.evaluate(async (target) => {
        const ask = (options: RequestInit): Promise<string> =>
          fetch(target, { credentials: 'include', ...options }).then(
            async (response) => `${response.type} ${await response.text()}`,
            () => 'failed',
          );
        return [
          await ask({}),
          await ask({ mode: 'no-cors' }),
          await ask({ mode: 'no-cors', method: 'POST', body: '{}' }),
          await ask({ method: 'DELETE' }),
        ];
      }, `http://127.0.0.1:${proxy.port}/workflows`);
      expect(answers).toEqual(['failed', expect.anything(), expect.anything(), 'failed']);
      expect(answers.join()).not.toContain('ok');
    }
    const rebound = await page.goto(`http://evil.example:${proxy.port}/tools`);
    expect(rebound?.status()).toBe(403);
    expect(upstream.received).toHaveLength(2);
    await page.close();
  });
});
