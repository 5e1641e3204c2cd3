import { type Server, startServer } from '../process/servers.ts';
import { sendJson } from './send.ts';

/** Events and ends that readers have received since they were opened. */
export interface Received {
  /** The number of streams that the server has ended. */
  readonly ended: number;
  readonly bytes: number;
}

/** Readers of event streams in a process of their own. */
export interface EventReaders extends AsyncDisposable {
  /** Opens readers of one stream. Resolves when each has received its first bytes. */
  open(server: Server, path: string, count: number): Promise<void>;
  received(): Promise<Received>;
  /** Closes all readers. */
  close(): Promise<void>;
}

/** Starts the process of the readers. */
export async function startEventReaders(): Promise<EventReaders> {
  const program = await startServer('event-readers.ts');
  const send = (method: string, body?: unknown) => sendJson<Received>(program, { method, path: '/', body });
  return {
    open: async ({ port }, path, count) => void (await send('POST', { port, path, count })),
    received: () => send('GET'),
    close: async () => void (await send('DELETE')),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
