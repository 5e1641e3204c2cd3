import { program } from '../../../build/service.ts';
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

/** Runs the program for each invocation, one after the other. An exit ends the invocation and not the process. */
const script = `
const { program, command, invocations } = JSON.parse(process.argv[1]);
const print = process.stdout.write.bind(process.stdout);
const outcomes = [];
for (const [index, { args, env = {} }] of invocations.entries()) {
  const written = { stdout: '', stderr: '' };
  for (const key of Object.keys(process.env)) delete process.env[key];
  Object.assign(process.env, env);
  for (const stream of ['stdout', 'stderr'])
    process[stream].write = (text) => { written[stream] += text; return true; };
  process.exit = (code) => { throw { exitCode: code }; };
  process.exitCode = undefined;
  process.argv = [process.execPath, program, ...command, ...args];
  try {
    await import(program + '?' + index);
  } catch (error) {
    if (error.exitCode === undefined) throw error;
    process.exitCode = error.exitCode;
  }
  outcomes.push({ code: process.exitCode ?? 0, ...written });
}
process.exitCode = 0;
print(JSON.stringify(outcomes));
`;

/**
 * Runs a command of the program several times in one process, because the start of a process takes most of the time.
 * Resolves to the outcomes by the names of the invocations. Tests of the exit itself start a process.
 */
export async function invokeAll<Name extends string>(
  command: readonly string[],
  cwd: string,
  invocations: Readonly<Record<Name, Invocation>>,
): Promise<Readonly<Record<Name, Outcome>>> {
  const names = Object.keys(invocations);
  const argument = JSON.stringify({ program, command, invocations: Object.values(invocations) });
  const args = ['--input-type=module', '-e', script, argument];
  const { code, stdout, stderr } = await startProgram(process.execPath, args, { cwd, env: {} }).ended;
  if (code !== 0) throw new Error(`the process ended with ${code}: ${stderr}`);
  const outcomes = JSON.parse(stdout) as readonly Outcome[];
  return Object.fromEntries(names.map((name, index) => [name, outcomes[index]])) as Record<Name, Outcome>;
}
