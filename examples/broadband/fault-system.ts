// Stands for the provider's fault system: GET /faults/{id} with a bearer token.
// FAULTS_TOKEN='Bearer …' node fault-system.ts [port]

import { timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const authorization = process.env['FAULTS_TOKEN'];
if (authorization === undefined) throw new Error('FAULTS_TOKEN must be what callers send as Authorization');
const expected = Buffer.from(authorization);

const faults = new Map([
  ['F2601734', { state: 'in_progress', expected: '2026-12-04', area: 'Westerhof' }],
  ['F2602215', { state: 'waiting', reason: 'the road has to be opened first', area: 'Birkenallee' }],
  ['F2600981', { state: 'repaired', area: 'Mill Lane' }],
  ['F2603350', { state: 'received', area: 'Am Deich' }],
]);

const server = createServer((request, response) => {
  const reply = (status: number, body: object): void => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
  const sent = Buffer.from(request.headers.authorization ?? '');
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
    reply(401, { error: 'wrong token' });
    return;
  }
  const id = /^\/faults\/([A-Za-z0-9]{1,16})$/.exec(request.url ?? '')?.[1]?.toUpperCase();
  const fault = id === undefined ? undefined : faults.get(id);
  if (request.method !== 'GET' || id === undefined || fault === undefined) {
    reply(404, { error: 'no such fault report' });
    return;
  }
  reply(200, { fault: { id, ...fault } });
});

server.listen(Number(process.argv[2] ?? 8071), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  console.log(`fault system on http://127.0.0.1:${port}`);
});
