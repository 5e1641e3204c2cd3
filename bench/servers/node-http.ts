/**
 * A plain `node:http` server, the upper bound for any framework: it echoes JSON, and returns the JSON that was PUT
 * under `/stored/`.
 */
import { createServer, type ServerResponse } from 'node:http';
import { listenAndReport } from './listen.ts';

const stored = new Map<string, unknown>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    const sent: unknown = text === '' ? {} : JSON.parse(text);
    const path = request.url ?? '';
    if (request.method === 'PUT') stored.set(path, sent);
    reply(response, stored.get(path) ?? sent);
  });
});

function reply(response: ServerResponse, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

listenAndReport(server);
