import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createAllowList } from './allow-list.ts';
import {
  exchange,
  headersProblem,
  OutboundError,
  type OutboundMethod,
  type OutboundResponse,
  outboundMethods,
} from './exchange.ts';
import { checkTarget, guardedLookup, type ResolveHost, systemResolve } from './guard.ts';

export {
  OutboundError,
  type OutboundFailure,
  type OutboundMethod,
  type OutboundResponse,
  outboundFailures,
  outboundMethods,
} from './exchange.ts';
export type { ResolveHost } from './guard.ts';

/** A request to another service. */
export interface OutboundRequest {
  /** `https`, or also `http` where the target is allowed. Without a user; a fragment is not sent. */
  readonly url: string;
  /** `GET` when absent. */
  readonly method?: OutboundMethod | undefined;
  /** Visible ASCII. Not those of the connection, such as `Host` and `Content-Length`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as UTF-8. */
  readonly body?: string | undefined;
  /** Interrupts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for all of it, from the look-up to the end of the answer; 10,000 when absent. */
  readonly timeoutMs?: number | undefined;
  /** The most bytes that the answer's body may have; 1 MiB when absent. */
  readonly maxBytes?: number | undefined;
}

/**
 * The client for all requests that the service makes at somebody's wish. It connects only to public addresses, by
 * `https`, unless the operator allows more; the address that is checked is the one that is connected to. It follows no
 * redirect, sends no credentials of its own, and uses no proxy.
 */
export interface Outbound {
  /** Sends a request and returns the answer of any status but 3xx. Rejects with an {@link OutboundError}. */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /** Closes all connections: running requests fail, and so do later ones. */
  close(): void;
}

/** Options of {@link createOutbound}. */
export interface OutboundOptions {
  /**
   * The addresses that may be reached beyond `https` to public ones: hosts and addresses, each also with a port, and
   * ranges such as `10.0.0.0/8`. Addresses where clouds serve credentials are refused all the same.
   */
  readonly allow: readonly string[];
  /** Finds the addresses of a host; the system's resolution when absent. */
  readonly resolve?: ResolveHost | undefined;
  /** Certificates of the authorities to trust, in PEM; Node's when absent. */
  readonly ca?: string | readonly string[] | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_048_576;

/** Connections at the same time: to one host, and in all. More requests wait within their timeout. */
const sockets = { maxSockets: 32, maxTotalSockets: 256 };

/** Milliseconds after which an idle connection is closed: less than the five seconds of most servers. */
const IDLE_MS = 4_000;

/** Creates the guarded client. Throws for an entry of `allow` that is not valid. */
export function createOutbound({ allow, resolve = systemResolve, ca }: OutboundOptions): Outbound {
  const allowList = createAllowList(allow);
  const kept = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 16, ...sockets };
  const tls = ca === undefined ? {} : { ca: [ca].flat() };
  const keptAgents = { http: new HttpAgent(kept), https: new HttpsAgent({ ...kept, ...tls }) };
  // A server may close a kept connection at the moment it is used. Only for reading requests a repeat is harmless.
  const freshAgents = { http: new HttpAgent(sockets), https: new HttpsAgent({ ...sockets, ...tls }) };
  const closing = new AbortController();

  return {
    async request({ url, method = 'GET', headers = {}, body, signal, timeoutMs = TIMEOUT_MS, maxBytes }) {
      const target = checkTarget(url, allowList);
      checkRequest(method, headers);
      const agents = method === 'GET' || method === 'HEAD' ? keptAgents : freshAgents;
      return exchange({
        target,
        method,
        headers,
        body,
        timeoutMs,
        maxBytes: maxBytes ?? MAX_BYTES,
        signal: signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]),
        lookup: guardedLookup(target, resolve, allowList),
        agent: target.isTls ? agents.https : agents.http,
      });
    },
    close() {
      closing.abort();
      for (const agent of [...Object.values(keptAgents), ...Object.values(freshAgents)]) agent.destroy();
    },
  };
}

/** Throws `invalid`: a request may come from code that was not type-checked. */
function checkRequest(method: string, headers: Readonly<Record<string, string>>): void {
  const methods: readonly string[] = outboundMethods;
  const problem = methods.includes(method)
    ? headersProblem(headers)
    : `the method must be one of ${outboundMethods.join(' ')}`;
  if (problem !== undefined) throw new OutboundError('invalid', problem, { sent: false });
}
