import { onTestFinished } from 'vitest';
import { parseUpstream } from '../../../src/adapters/http/console-proxy/forward.ts';
import {
  type ConsoleProxyOptions,
  startConsoleProxy,
} from '../../../src/adapters/http/console-proxy/server.ts';
import { consoleFolder } from './folder.ts';
import { type RawReply, type RawRequest, send } from './requests.ts';

/** The key of the tests. It must never be seen. */
export const KEY = 'canary-key-0123456789';

/** Starts a console for the service at `url`, with a stand-in for the files. Closed at the end of the test. */
export async function startConsole(url: string, options: Partial<ConsoleProxyOptions> = {}) {
  const upstream = parseUpstream(url, KEY);
  const folder = options.folder ?? (await consoleFolder());
  const proxy = await startConsoleProxy({ port: 0, readOnly: false, ...options, upstream, folder });
  onTestFinished(proxy.close);
  const { pathname, search } = new URL(proxy.url);
  return { ...proxy, tokenPath: pathname + search };
}

/** The `Cookie` header of a browser that has opened an address of a console, whose path has the token. */
export async function openConsole(port: number, tokenPath: string): Promise<string> {
  const { headers } = await send(port, tokenPath);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

/** A console that a browser has opened: `browse` sends requests as the page does. */
export async function openedConsole(url: string, options: Partial<ConsoleProxyOptions> = {}) {
  const proxy = await startConsole(url, options);
  const cookie = await openConsole(proxy.port, proxy.tokenPath);
  const headers = {
    Cookie: cookie,
    Origin: `http://127.0.0.1:${proxy.port}`,
    'Sec-Fetch-Site': 'same-origin',
  };
  const browse = (path: string, request: RawRequest = {}): Promise<RawReply> =>
    send(proxy.port, path, { ...request, headers: { ...headers, ...request.headers } });
  return { ...proxy, cookie, headers, browse };
}
