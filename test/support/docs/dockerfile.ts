import { cpSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { startProgram } from '../process/program.ts';

/** One instruction of a Dockerfile. */
interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** A stage of an image: the folder that holds its files, and where and with what its commands run. */
interface Stage {
  readonly folder: string;
  workdir: string;
  readonly variables: Record<string, string>;
}

/** An image whose instructions were followed. */
export interface Image {
  /** The folder with the files of the last stage. */
  readonly folder: string;
  /** The output of each `RUN`, in order. */
  readonly written: readonly string[];
  /** The command that starts the container, its folder, and the variables of the image. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
}

export interface ImageOptions {
  /** The folder whose files `COPY` names. */
  readonly context: string;
  /** An empty folder for the stages. */
  readonly place: string;
  /** The variables that commands need beside those of the image. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Follows a Dockerfile without a container engine: each stage is a folder of its own that holds nothing but the files
 * which `COPY` and `RUN` bring there, and words of commands that begin with `/` are paths in it. Rejects when a command
 * fails, and for an instruction that it does not know.
 */
export async function buildImage(dockerfile: string, { context, place, env }: ImageOptions): Promise<Image> {
  const stages = new Map<string, Stage>();
  const written: string[] = [];
  let stage: Stage = { folder: place, workdir: '/', variables: {} };
  let command: readonly string[] = [];

  function copy(value: string): void {
    const words = value.split(/\s+/);
    const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
    const source = from === undefined ? context : stages.get(from)?.folder;
    const target = words.pop() ?? '';
    if (source === undefined) throw new Error(`COPY ${value}: there is no such stage`);
    for (const pattern of words) {
      const found = globSync(pattern.replace(/^\//, ''), { cwd: source });
      if (found.length === 0) throw new Error(`COPY ${value}: there is no ${pattern}`);
      for (const path of found) copyTo(join(source, path), join(inStage(target)), target.endsWith('/'));
    }
  }

  function inStage(path: string): string {
    return path.startsWith('/') ? join(stage.folder, path) : join(stage.folder, stage.workdir, path);
  }

  async function run(value: string): Promise<void> {
    const inside = value.replaceAll(/(?<=^|\s)\//g, `${stage.folder}/`);
    const cwd = inStage('.');
    const variables = { ...stage.variables, ...env };
    const { code, stdout, stderr } = await startProgram('/bin/sh', ['-c', inside], { cwd, env: variables })
      .ended;
    if (code !== 0) throw new Error(`RUN ${value}: ended with ${code}\n${stdout}${stderr}`);
    written.push(stdout + stderr);
  }

  for (const { name, value } of parse(dockerfile)) {
    if (name === 'FROM') {
      const [, , alias = `stage-${stages.size}`] = value.split(/\s+/);
      stage = { folder: join(place, alias), workdir: '/', variables: {} };
      mkdirSync(join(stage.folder, 'tmp'), { recursive: true });
      stages.set(alias, stage);
    } else if (name === 'WORKDIR') {
      stage.workdir = value;
      mkdirSync(inStage('.'), { recursive: true });
    } else if (name === 'COPY') copy(value);
    else if (name === 'RUN') await run(value);
    else if (name === 'ENV') {
      for (const [, key = '', text = ''] of value.matchAll(/(\w+)=(\S*)/g)) stage.variables[key] = text;
    } else if (name === 'CMD') command = JSON.parse(value);
    else if (name !== 'EXPOSE' && name !== 'USER') throw new Error(`${name} is not known here`);
  }
  const { folder, variables } = stage;
  return { folder, written, command, cwd: inStage('.'), variables };
}

function parse(dockerfile: string): readonly Instruction[] {
  return dockerfile
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({ name: line.split(' ', 1)[0] ?? '', value: line.slice(line.indexOf(' ') + 1).trim() }));
}

/** Copies a file, or the content of a folder, as `COPY` does. */
function copyTo(from: string, target: string, isFolder: boolean): void {
  if (statSync(from).isDirectory()) {
    cpSync(from, target, { recursive: true });
    return;
  }
  const to = isFolder ? join(target, basename(from)) : target;
  mkdirSync(join(to, '..'), { recursive: true });
  cpSync(from, to);
  if (basename(to) === 'package-lock.json') removeHashes(to);
}

/** The packages of a registry that packs them anew have other hashes. */
function removeHashes(lockFile: string): void {
  const lines = readFileSync(lockFile, 'utf8').split('\n');
  writeFileSync(lockFile, lines.filter((line) => !line.includes('"integrity":')).join('\n'));
}
