import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { saveFile } from '../shared/save-file.ts';

const FORMAT = 'orchestration-service/vectors';
const VERSION = 1;

/** A record is the hash of a text, and its vector with 8 bits a number. */
const HASH_BYTES = 32;

/** More vectors are not kept: as many as a file of tickets has rows. */
const MAX_KEPT = 100_000;

/** The first line of a file. The records follow it. */
const headSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  /** The model that was asked for, and the one that answered. */
  asked: z.string(),
  model: z.string(),
  dimensions: z.int().min(1),
  hash: z.string(),
});

/** Vectors by the hash of their text. Texts are not kept. */
export interface KeptVectors {
  /** The model that answered. */
  readonly model: string;
  readonly dimensions: number;
  /** By {@link keyOf}, the least recently used first. */
  readonly byKey: Map<string, Int8Array>;
}

/** The key of a text, in hexadecimal digits. */
export function keyOf(text: string): string {
  return hash('sha256', text);
}

/**
 * Reads the vectors that a model gave. Undefined where there is no file, or one that is damaged or of another model:
 * it is made again.
 */
export async function readVectorFile(path: string, asked: string): Promise<KeptVectors | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch {
    return undefined;
  }
  const end = bytes.indexOf('\n');
  const head = headSchema.safeParse(parseJson(bytes.subarray(0, Math.max(0, end)).toString('utf8')));
  if (!head.success || head.data.asked !== asked) return undefined;
  const { model, dimensions } = head.data;
  const body = bytes.subarray(end + 1);
  const size = HASH_BYTES + dimensions;
  if (hash('sha256', body) !== head.data.hash || body.length % size !== 0) return undefined;
  const byKey = new Map<string, Int8Array>();
  for (let at = 0; at < body.length; at += size) {
    const key = body.toString('hex', at, at + HASH_BYTES);
    byKey.set(key, new Int8Array(body.buffer, body.byteOffset + at + HASH_BYTES, dimensions));
  }
  return { model, dimensions, byKey };
}

/**
 * Writes vectors completely or not at all; of too many the least recently used are left out. Rejects where it cannot.
 */
export async function writeVectorFile(
  path: string,
  asked: string,
  { model, dimensions, byKey }: KeptVectors,
): Promise<void> {
  const kept = [...byKey].slice(-MAX_KEPT);
  const size = HASH_BYTES + dimensions;
  const body = Buffer.alloc(kept.length * size);
  kept.forEach(([key, rounded], at) => {
    body.write(key, at * size, 'hex');
    body.set(new Uint8Array(rounded.buffer, rounded.byteOffset, dimensions), at * size + HASH_BYTES);
  });
  const head = { format: FORMAT, version: VERSION, asked, model, dimensions, hash: hash('sha256', body) };
  await saveFile(path, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
