/** A bare `node:http` server that echoes JSON: the floor that no framework can go below. */
import { createServer } from 'node:http';
import { announce } from './announce.ts';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    const body = JSON.stringify(text === '' ? {} : JSON.parse(text));
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
announce(server);
