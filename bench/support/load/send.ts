import type { Server } from '../process/servers.ts';
import type { Request } from './raw-http.ts';

/** Sends a request once and returns the JSON of the response. Rejects unless the status is 2xx. */
export async function sendJson<Shape>(
  { port }: Server,
  { method, path, body, headers }: Request,
): Promise<Shape> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path} responded with ${reply.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as Shape;
}
