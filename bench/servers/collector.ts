/** An OTLP/HTTP collector that discards what it receives; `GET /` returns the number of bytes received. */
import { createServer } from 'node:http';
import { listenAndReport } from './listen.ts';

let bytes = 0;

const server = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on('end', () => {
    const body = request.method === 'GET' ? JSON.stringify({ bytes }) : '{}';
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
  });
});

listenAndReport(server);
