import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

/** A request as it is written on the connection: nothing is added but `Host`, where it is absent. */
export interface RawRequest {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** A response with its complete body. */
export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request to a port of this machine. Unlike `fetch`, it sends any header, and the path as it is. */
export function send(port: number, path: string, options: RawRequest = {}): Promise<RawReply> {
  const { method = 'GET', headers, body } = options;
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: Buffer.concat(chunks).toString() });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** The status of an error of the service or of the console, and the members of its body. */
export function errorOf({ status, headers, body }: RawReply): unknown {
  if (headers['content-type'] !== 'application/json') return { status, type: headers['content-type'], body };
  return { status, ...(JSON.parse(body) as object) };
}
