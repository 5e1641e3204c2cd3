import { realpathSync, type Stats, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Throws where the file that an option names cannot be written: told before the work for it begins. */
export function checkOutFile(option: string, path: string): void {
  const present = statOf(path);
  if (present?.isDirectory()) throw new Error(`${option} must name a file: ${path} is a folder`);
  if (present === undefined && !statOf(dirname(path))?.isDirectory()) {
    throw new Error(`${option} must name a file: there is no folder ${dirname(path)}`);
  }
}

/** Throws where the folder that an option names is none, or is absent although it `mustExist`. */
export function checkFolder(option: string, path: string, mustExist: boolean): void {
  const present = statOf(path);
  if (present?.isDirectory() === false) throw new Error(`${option} must name a folder: ${path} is a file`);
  if (present === undefined && mustExist) {
    throw new Error(`${option} must name a folder: there is no ${path}`);
  }
}

/**
 * Writes a file completely or not at all, by `save`; an older one is replaced. What is no file, such as `/dev/stdout`,
 * is written to.
 */
export async function writeOutFile(
  { option, path }: { readonly option: string; readonly path: string },
  text: string,
  save: (path: string, text: string) => Promise<void>,
): Promise<void> {
  checkOutFile(option, path);
  const present = statOf(path);
  if (present !== undefined && !present.isFile()) await writeFile(path, text);
  // A link stays one: the file that it leads to is replaced.
  else await save(present === undefined ? path : realpathSync(path), text);
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
