/** A collector of OTLP/HTTP that accepts everything and remembers how many bytes came; `GET /` tells. */
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
