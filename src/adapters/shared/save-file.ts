import { open, rename, rm } from 'node:fs/promises';

/** Writes a file completely or not at all: beside it first, then under its name. An older file stays when it fails. */
export async function saveFile(path: string, content: string | Uint8Array): Promise<void> {
  const beside = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(beside, 'wx');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
