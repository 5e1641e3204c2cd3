import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromium as chromiumProgram, findProgram } from '../support/process/programs.ts';
import { type Service, startService } from '../support/process/service.ts';

let service: Service;
let profile: string;
let browser: BrowserContext;

beforeAll(async () => {
  const executablePath = await findProgram(chromiumProgram);
  profile = await mkdtemp(join(tmpdir(), 'chromium-'));
  service = await startService();
  browser = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await rm(profile, { recursive: true, force: true });
});

/** A page with its requests and its errors. */
async function open(path: string): Promise<{ page: Page; requests: string[]; errors: string[] }> {
  const page = await browser.newPage();
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('requestfailed', (request) => errors.push(`failed: ${request.url()}`));
  page.on('response', (response) => {
    if (response.status() >= 400) errors.push(`${response.status()}: ${response.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(service.baseUrl + path);
  return { page, requests, errors };
}

/** The requests of a page to other servers. */
function external(requests: readonly string[]): readonly string[] {
  return requests.filter((url) => !/^(?:data|blob):/.test(url) && !url.startsWith(`${service.baseUrl}/`));
}

describe('Swagger UI at /docs', () => {
  test('shows the operations without other servers, and executes one', async () => {
    const { page, requests, errors } = await open('/docs');
    await page.getByText('Process one customer message', { exact: true }).waitFor();
    await page.locator('#operations-Tools-listTools .opblock-summary-control').click();
    await page.locator('#operations-Tools-listTools .try-out__btn').click();
    await page.locator('#operations-Tools-listTools .execute').click();
    await page
      .locator('#operations-Tools-listTools .live-responses-table')
      .getByText('refund_policy')
      .first()
      .waitFor();
    expect(await page.title()).toBe('Orchestration service: Swagger UI');
    expect(external(requests)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe('Redoc at /redoc', () => {
  test('shows the operations without other servers', async () => {
    const { page, requests, errors } = await open('/redoc');
    await page.getByRole('heading', { name: 'Process one customer message' }).waitFor();
    expect(await page.title()).toBe('Orchestration service: Redoc');
    expect(external(requests)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe('the documentation pages', () => {
  test.each(['/docs', '/docs/', '/redoc', '/redoc/'])('name files that are served: %s', async (path) => {
    const url = service.baseUrl + path;
    const html = await (await fetch(url)).text();
    const files = Array.from(
      html.matchAll(/(?:src|href|data-document)="([^"]*)"/g),
      ([, file = '']) => new URL(file, url),
    );
    expect(files.length).toBeGreaterThan(1);
    const responses = await Promise.all(files.map((file) => fetch(file)));
    expect(responses.map(({ status }) => status)).toEqual(files.map(() => 200));
  });

  test.each(['/docs', '/redoc'])(
    '%s have a policy that allows no foreign and no inline script',
    async (path) => {
      const response = await fetch(service.baseUrl + path);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('x-request-id')).toBeTruthy();
    },
  );

  test('are sent once and then not modified', async () => {
    const url = `${service.baseUrl}/docs/swagger-ui-dist/swagger-ui.css`;
    const first = await fetch(url);
    expect(first.headers.get('content-type')).toBe('text/css; charset=utf-8');
    await first.text();
    const second = await fetch(url, { headers: { 'If-None-Match': first.headers.get('etag') ?? '' } });
    expect(second.status).toBe(304);
  });

  test.each([
    '/docs/swagger-ui-dist/package.json',
    '/docs/swagger-ui-dist/..%2fpackage.json',
    '/docs/../package.json',
    '/redoc/redoc.standalone.js.map',
  ])('serve no other files: %s', async (path) => {
    const response = await fetch(service.baseUrl + path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: 'Not Found' });
  });
});
