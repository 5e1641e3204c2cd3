import { mkdir, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { bodyOf, postJson, type Service } from '../process/service.ts';

/** Two companies whose playbooks take each other's place. Everything that one of them says has its name in it. */
export const companies = ['red', 'blue'] as const;

/** One of {@link companies}. */
export type CompanyName = (typeof companies)[number];

const playbook = (name: CompanyName, port: number): string => `
company: { name: ${name}, signature: The ${name} workshop, languages: [en] }
example_tools: false
articles: ./${name}
intents:
  - name: repair_status
    description: Asks how far a repair is.
    examples: [Is my bike ready?, how far is my repair, is the repair done]
    tool: { name: job_lookup }
    replies: { en: 'The ${name} state is {{ tool.state }}.' }
  - name: lost_key
    description: Has lost the key of a lock.
    examples: [I lost the key of my lock, my lock key is gone]
    articles: true
    replies: { en: 'The ${name} advice: {{ articles[0].text }}' }
tools:
  - name: job_lookup
    description: The ${name} state of a repair.
    effect: read
    request:
      url: http://127.0.0.1:${port}/${name}
      headers: { Authorization: 'Bearer env:KEY_OF_${name.toUpperCase()}' }
`;

const article = (name: CompanyName): string =>
  `---\ntitle: Lost keys\nintents: [lost_key]\n---\nAsk the ${name} desk for a spare key.\n`;

/** The keys that the companies' tools send, as settings of the service. */
export const companyKeys = {
  KEY_OF_RED: 'canary-of-the-red-company',
  KEY_OF_BLUE: 'canary-of-the-blue-company',
} as const;

/** The server of the tools of both companies. */
export interface JobServer {
  readonly port: number;
  /** Connections that are open now. */
  openConnections(): number;
  close(): Promise<void>;
}

/** Starts the server of the tools, which takes a few milliseconds for each answer. */
export async function startJobServer(): Promise<JobServer> {
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const name = request.url?.slice(1) ?? '';
    const isKnown = request.headers.authorization === `Bearer canary-of-the-${name}-company`;
    await setTimeout(5);
    response.writeHead(isKnown ? 200 : 403, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ state: `ready in the ${name} hall` }));
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    openConnections: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Writes the articles of both companies. */
export async function writeArticles(folder: string): Promise<void> {
  for (const name of companies) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, 'keys.md'), article(name));
  }
}

/** Makes a company's playbook, or another text, the file `playbook.yaml`, at once. */
export async function writePlaybook(folder: string, text: CompanyName | { readonly text: string }, port = 1) {
  const path = join(folder, 'playbook.yaml');
  await writeFile(`${path}.new`, typeof text === 'string' ? playbook(text, port) : text.text);
  await rename(`${path}.new`, path);
}

/** A message as the service has answered it. */
export interface Answered {
  readonly disposition: string;
  readonly response: string;
  /** The companies that it names. */
  readonly names: readonly string[];
}

const messages = ['Is my bike ready?', 'I lost the key of my lock'] as const;

/** Sends a message, about a repair or, for an odd number, about a key. */
export async function ask({ baseUrl }: Service, number: number): Promise<Answered> {
  const message = { customer_id: `c-${number}`, message: messages[number % messages.length] };
  const { disposition, response } = await bodyOf<Omit<Answered, 'names'>>(
    await postJson(`${baseUrl}/messages`, message),
  );
  return { disposition, response, names: companies.filter((name) => response.includes(name)) };
}

/** The answers to messages under load. */
export interface Load {
  readonly answered: readonly Answered[];
  /** The answers that are not of one company alone. */
  readonly strange: readonly Answered[];
}

/** Sends messages, so many at a time, until `work` has ended. */
export async function underLoad(service: Service, work: () => Promise<unknown>, atOnce = 6): Promise<Load> {
  const answered: Answered[] = [];
  let number = 0;
  let isOver = false;
  const send = async (): Promise<void> => {
    while (!isOver) answered.push(await ask(service, number++));
  };
  const senders = Array.from({ length: atOnce }, send);
  try {
    await Promise.race([work(), ...senders]);
  } finally {
    isOver = true;
  }
  await Promise.all(senders);
  const strange = answered.filter(
    ({ disposition, names }) => disposition !== 'answered' || names.length !== 1,
  );
  return { answered, strange };
}
