import { afterEach, describe, expect, test } from 'vitest';
import { bodyOf, postJson, runToEnd, type Service, startService } from './support/process/service.ts';

const running: Service[] = [];

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

async function start(settings: Record<string, string> = {}): Promise<Service> {
  const service = await startService(settings);
  running.push(service);
  return service;
}

const message = { customer_id: 'ann', message: 'Let me talk to a human, please.' };

interface Item {
  readonly claimed_until: string;
  readonly opened_at: string;
}

describe('the inbox of the service', () => {
  test('has what needs a person, until somebody has decided, and counts it in the metrics', async () => {
    const { baseUrl, log, output } = await start();
    const sent = await bodyOf<{ item_id: string }>(await postJson(`${baseUrl}/messages`, message));
    expect(sent).toMatchObject({ disposition: 'escalated', item_id: expect.stringMatching(/./) });
    const metric = async (name: string) => {
      const text = await (await fetch(`${baseUrl}/metrics`)).text();
      return text.split('\n').find((line) => line.startsWith(name));
    };
    const open = 'service_inbox_items{kind="escalation",status="open"}';
    expect(await metric(open)).toBe(`${open} 1`);
    const next = await postJson(`${baseUrl}/inbox/next`, { by: 'maria' });
    expect([next.status, next.headers.get('etag')]).toEqual([200, '"2"']);
    const decision = { by: 'maria', outcome: 'answered', response: 'canary-reply' };
    const path = `${baseUrl}/inbox/${sent.item_id}`;
    const resolved = await postJson(`${path}/resolve`, decision, { 'If-Match': '"2"' });
    expect([resolved.status, resolved.headers.get('etag')]).toEqual([200, '"3"']);
    expect(await metric(open)).toBe(`${open} 0`);
    const changes = 'service_inbox_changes_total{kind="escalation",change="resolved"}';
    expect(await metric(changes)).toBe(`${changes} 1`);
    expect(await metric('service_inbox_age_seconds ')).toBe('service_inbox_age_seconds 0');
    await postJson(`${baseUrl}/erase`, { customer_id: 'ann' });
    await expect.poll(() => log().some(({ msg }) => msg === 'customer erased')).toBe(true);
    expect(log().find(({ msg }) => msg === 'inbox item resolved')).toMatchObject({
      level: 'info',
      item_id: sent.item_id,
      by: 'maria',
      outcome: 'answered',
    });
    expect(output()).not.toContain('canary-reply');
  });

  test('keeps a claim for as long as the setting says', async () => {
    const { baseUrl } = await start({ INBOX_CLAIM_SECONDS: '600' });
    await postJson(`${baseUrl}/messages`, message);
    const before = Date.now();
    const item = await bodyOf<Item>(await postJson(`${baseUrl}/inbox/next`, { by: 'maria' }));
    const lapsesAt = Date.parse(item.claimed_until);
    expect(lapsesAt >= before + 600_000 && lapsesAt <= Date.now() + 600_000).toBe(true);
  });

  test('is off with INBOX=off: nobody is promised, and nothing is measured', async () => {
    const { baseUrl } = await start({ INBOX: 'off' });
    const sent = await postJson(`${baseUrl}/messages`, message);
    expect(await bodyOf(sent)).toMatchObject({ disposition: 'escalated', item_id: null });
    const listed = await fetch(`${baseUrl}/inbox`);
    expect([listed.status, await listed.json()]).toEqual([
      404,
      { error: 'Not Found', detail: 'the inbox is off' },
    ]);
    const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
    expect(metrics).not.toContain('service_inbox_items');
  });

  test('is not started with settings that are wrong', async () => {
    const { code, stderr } = await runToEnd({ INBOX: 'maybe', TRACE_RETENTION_DAYS: '0' });
    expect([code, stderr]).toEqual([
      1,
      'INBOX: must be on, off, true, false, 1 or 0\nTRACE_RETENTION_DAYS: must be an integer from 1 to 3650\n',
    ]);
  });
});
