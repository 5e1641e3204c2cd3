import { version } from '../adapters/shared/version.ts';
import { quote } from '../lib/text/quote.ts';
import { exitWithErrors } from './errors.ts';

/** A command: it gets the arguments after its name and resolves to the exit code, or undefined while it runs on. */
type Command = (args: readonly string[]) => Promise<number | undefined>;

/** A command, what it does in a few words, and how it is loaded: only what runs is. */
interface CommandEntry {
  readonly summary: string;
  load(): Promise<Command>;
}

const commands: ReadonlyMap<string, CommandEntry> = new Map([
  [
    'serve',
    {
      summary: 'start the HTTP service (the default)',
      load: async () => (await import('./serve.ts')).runServe,
    },
  ],
  [
    'console',
    {
      summary: 'show the console of a service in a browser on this machine',
      load: async () => (await import('./console.ts')).runConsole,
    },
  ],
  [
    'playbook',
    {
      summary: 'check a playbook, or begin a new one',
      load: async () => (await import('./playbook.ts')).runPlaybook,
    },
  ],
  [
    'train',
    {
      summary: 'train a classifier from tickets',
      load: async () => (await import('./train.ts')).runTrain,
    },
  ],
  [
    'migrate',
    {
      summary: 'carry the records of version 0.6 in Redis over',
      load: async () => (await import('./migrate.ts')).runMigrate,
    },
  ],
  [
    'evaluate',
    {
      summary: 'score the stages on tickets',
      load: async () => (await import('./evaluate.ts')).runEvaluate,
    },
  ],
]);

const usage = `usage: orchestration-service [COMMAND] [--help] [--version]

${[...commands].map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`).join('\n')}

Settings are read from environment variables and from a .env file in the working directory.
\`orchestration-service COMMAND --help\` tells the arguments of a command.
`;

/** Runs the command that the arguments name. Sets the exit code of the process. */
export async function runCommand(args: readonly string[]): Promise<void> {
  const [first = 'serve', ...rest] = args;
  if (first === '--help') return void process.stdout.write(usage);
  if (first === '--version') return void process.stdout.write(`${version}\n`);
  if (first.startsWith('-')) return exitWithErrors([`unknown argument: ${quote(first)}`, usage.trimEnd()]);
  const command = commands.get(first);
  if (command === undefined) return exitWithErrors([`unknown command: ${quote(first)}`, usage.trimEnd()]);
  const run = await command.load();
  const code = await run(rest);
  if (code !== undefined) process.exitCode = code;
}
