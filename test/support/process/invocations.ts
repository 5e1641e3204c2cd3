import { pathToFileURL } from 'node:url';
import { startProgram } from './program.ts';

/** One call of a command: its arguments, and the only variables that it sees. */
export interface Invocation {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The exit code of a command, and its output. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Calls a command for each invocation, one after the other. An exit ends the invocation and not the process. */
const program = `
const { path, name, invocations } = JSON.parse(process.argv[1]);
const { [name]: run } = await import(path);
const print = process.stdout.write.bind(process.stdout);
const outcomes = [];
for (const { args, env = {} } of invocations) {
  const written = { stdout: '', stderr: '' };
  for (const key of Object.keys(process.env)) delete process.env[key];
  Object.assign(process.env, env);
  for (const stream of ['stdout', 'stderr'])
    process[stream].write = (text) => { written[stream] += text; return true; };
  process.exit = (code) => { throw { exitCode: code }; };
  process.exitCode = undefined;
  let code;
  try {
    code = await run(args);
  } catch (error) {
    if (error.exitCode === undefined) throw error;
    code = error.exitCode;
  }
  outcomes.push({ code: code ?? process.exitCode ?? 0, ...written });
}
process.exitCode = 0;
print(JSON.stringify(outcomes));
`;

/**
 * Runs a command, an exported function of a module, several times in one process, because the start of a process takes
 * most of the time. Resolves to the outcomes by the names of the invocations. Tests of the exit itself start a process.
 */
export async function invokeAll<Name extends string>(
  command: { readonly path: string; readonly name: string },
  cwd: string,
  invocations: Readonly<Record<Name, Invocation>>,
): Promise<Readonly<Record<Name, Outcome>>> {
  const names = Object.keys(invocations);
  const path = pathToFileURL(command.path).href;
  const argument = JSON.stringify({ path, name: command.name, invocations: Object.values(invocations) });
  const args = ['--input-type=module', '-e', program, argument];
  const { code, stdout, stderr } = await startProgram(process.execPath, args, { cwd, env: {} }).ended;
  if (code !== 0) throw new Error(`the process ended with ${code}: ${stderr}`);
  const outcomes = JSON.parse(stdout) as readonly Outcome[];
  return Object.fromEntries(names.map((name, index) => [name, outcomes[index]])) as Record<Name, Outcome>;
}
