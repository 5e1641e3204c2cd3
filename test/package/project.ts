import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ended, type Program, startProgram } from '../support/process/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The files that the package is built from. */
const sources = [
  'package.json',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'SECURITY.md',
  '.npmrc',
  'tsconfig.json',
  'build',
  'console',
  'docs',
  'examples',
  'models',
  'openapi',
  'playbook',
  'src',
  'training/README.md',
];

/** Programs find the Node that runs the tests first. */
export const PATH = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);

type Environment = Readonly<Record<string, string>>;

/** A project that has installed the package from its tarball, and the repository's examples beside it. */
export interface Project {
  readonly folder: string;
  /** The folder of the installed package. */
  readonly installed: string;
  readonly tarball: Buffer;
  /** The paths of the files in the package. */
  readonly files: readonly string[];
  /** Runs Node in the project to its end. */
  node(args: readonly string[], environment?: Environment): Promise<Ended>;
  /** Starts a program in the project. */
  start(command: string, args?: readonly string[], environment?: Environment): Program;
  /** Runs the TypeScript compiler in the project; resolves to its output. */
  compile(...args: readonly string[]): Promise<string>;
  /** Stops running programs and removes all files. */
  remove(): Promise<void>;
}

/** Packs the package and installs it in a new project, with the dependencies of this repository. */
export async function installPackage(): Promise<Project> {
  const place = await mkdtemp(join(tmpdir(), 'package-'));
  const folder = join(place, 'project');
  const installed = join(folder, 'node_modules/orchestration-service');
  const programs: Program[] = [];

  function start(command: string, args: readonly string[] = [], environment: Environment = {}): Program {
    const program = startProgram(command, args, { cwd: folder, env: { PATH, ...environment } });
    programs.push(program);
    return program;
  }

  async function remove(): Promise<void> {
    for (const program of programs) await program.stop('SIGKILL');
    await rm(place, { recursive: true, force: true });
  }

  try {
    const tarballPath = await pack(place);
    await mkdir(installed, { recursive: true });
    await succeed('tar', ['-xzf', tarballPath, '--strip-components=1', '-C', installed], place);
    const listed = await succeed('tar', ['-tzf', tarballPath], place);
    await installDependencies(installed, join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    await cp(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
    return {
      folder,
      installed,
      tarball: await readFile(tarballPath),
      files: listed
        .trimEnd()
        .split('\n')
        .map((path) => path.slice('package/'.length)),
      node: (args, environment) => start(process.execPath, args, environment).ended,
      start,
      async compile(...args) {
        const { stdout, stderr } = await start(process.execPath, [compiler, '--singleThreaded', ...args])
          .ended;
        return stdout + stderr;
      },
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The compiler, in JavaScript, so that it runs on the Node of the tests. */
export const compiler = join(root, 'node_modules/typescript/bin/tsc');

/** Runs `npm pack` on a copy, which also builds there; resolves to the path of the tarball. */
async function pack(place: string): Promise<string> {
  const stage = join(place, 'stage');
  await mkdir(stage);
  for (const name of sources) await cp(join(root, name), join(stage, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(stage, 'node_modules'));
  const quiet = ['--silent', '--logs-max=0', `--cache=${join(place, 'cache')}`];
  const said = await succeed('npm', ['pack', '--json', '--pack-destination', place, ...quiet], stage);
  const [packed] = JSON.parse(said) as readonly { readonly filename: string }[];
  return join(place, packed?.filename ?? '');
}

/**
 * Puts the package's own dependencies beside it, and what every TypeScript project on Node has; nothing for
 * development.
 */
async function installDependencies(installed: string, nodeModules: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
    const link = join(nodeModules, name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, 'node_modules', name), link);
  }
}

/** Runs a program to its end; resolves to its standard output, and rejects when it fails. */
async function succeed(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await startProgram(command, args, {
    cwd,
    env: { PATH, HOME: process.env['HOME'] ?? '' },
  }).ended;
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}
