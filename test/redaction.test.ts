import { afterEach, describe, expect, test } from 'vitest';
import { type OtlpCollector, startOtlpCollector } from './support/process/otlp-collector.ts';
import { bodyOf, postJson, type Service, startService } from './support/process/service.ts';

/** A card number that is valid by its check digit, and other secrets of a customer. */
const card = '4242 4242 4242 4242';
const iban = 'DE89 3704 0044 0532 0130 00';
const password = 'tulip-Canary-77';

const secrets = [card, card.replaceAll(' ', ''), '4242', iban, '3704 0044', password];

const message = {
  customer_id: 'customer-1',
  subject: `My card ${card}`,
  message: `My card ${card} was declined. My IBAN is ${iban}, my password is ${password}. Which cards do you take?`,
  metadata: { note: `card ${card}` },
};

const html = {
  customer_id: 'customer-1',
  message: `<p>My card <b>4242</b> 4242 4242 4242 was declined.</p><p>Which cards do you take?</p>`,
};

const quoted = {
  customer_id: 'customer-1',
  message: `Which cards do you take?\n\nOn Monday, Ann <ann@mail.example> wrote:\n> My card is ${card}.`,
};

let services: (Service | OtlpCollector)[] = [];

afterEach(async () => {
  await Promise.all(services.map((one) => ('stop' in one ? one.stop() : one.close())));
  services = [];
});

/** All that a service shows and writes of some messages: responses, traces, log lines and spans. */
async function everythingOf(settings: Readonly<Record<string, string>>, messages: readonly object[]) {
  const collector = await startOtlpCollector();
  services.push(collector);
  const service = await startService({
    LOG_LEVEL: 'debug',
    OTEL_ENABLED: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    ...settings,
  });
  services.push(service);
  const shown: string[] = [];
  for (const body of messages) {
    const response = await postJson(`${service.baseUrl}/messages`, body);
    expect(response.status).toBe(200);
    const answer = await bodyOf<{ trace_id: string }>(response);
    shown.push(JSON.stringify(answer));
    shown.push(await (await fetch(`${service.baseUrl}/trace/${answer.trace_id}`)).text());
  }
  shown.push(await (await fetch(`${service.baseUrl}/trace`)).text());
  service.process.kill('SIGTERM');
  await service.exited;
  expect(collector.spans.length).toBeGreaterThan(0);
  return { traces: shown.join('\n'), logs: service.output(), spans: JSON.stringify(collector.spans) };
}

describe('card numbers and other secrets of a customer', () => {
  test('are in no trace, response, log line or span by default', async () => {
    const { traces, logs, spans } = await everythingOf({}, [message, html, quoted]);
    for (const text of [traces, logs, spans]) {
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
    expect(traces).toContain('[card number]');
    expect(traces).toContain('[IBAN]');
    expect(traces).toContain('[password]');
    expect(traces).toContain('Please do not send us card numbers');
  });

  test('are kept in traces, and in no log line or span, where that is turned off', async () => {
    const { traces, logs, spans } = await everythingOf({ REDACT_PII: 'false' }, [message]);
    for (const secret of [card, iban, password]) {
      expect(traces).toContain(secret);
      expect(logs + spans).not.toContain(secret);
    }
    expect(traces).not.toMatch(/\[(?:card number|IBAN|password)\]|Please do not send us card numbers/);
  });
});
