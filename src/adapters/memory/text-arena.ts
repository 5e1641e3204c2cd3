/** A block of memory outside of V8's heap, filled with texts from its start. */
interface Block {
  readonly memory: Buffer;
  used: number;
  /** Number of references to its texts. */
  references: number;
}

/** A reference to a stored text. */
export interface StoredText {
  readonly block: Block;
  readonly offset: number;
  /** Its length in UTF-8. */
  readonly bytes: number;
}

/** Texts outside of V8's heap, with reference counting. */
export interface TextArena {
  /** Stores a well-formed text and returns the first reference to it. */
  store(text: string): StoredText;
  /** Returns a stored text. Its reference must not have been released. */
  read(stored: StoredText): string;
  /** Adds a reference, which must be released too. */
  retain(stored: StoredText): void;
  /** Releases one reference. A block is reused when all references to its texts are released. */
  release(stored: StoredText): void;
}

/** Maximum number of UTF-8 bytes for one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Creates a {@link TextArena} with blocks of `blockBytes`, for texts that are released roughly in the order in which
 * they were stored: one text keeps its complete block in memory. With 0 each text has a block of its own, for any
 * order.
 *
 * Records on V8's heap survive its young generation, which copies them, and a `Buffer` for each record is freed only by
 * a full garbage collection. Reused blocks avoid both (benchmarks `http` and `memory`).
 */
export function createTextArena(blockBytes: number): TextArena {
  let current = createBlock(0);
  let spare: Block | undefined;

  function blockFor(text: string): Block {
    const free = current.memory.length - current.used;
    if (text.length * MAX_BYTES_PER_UNIT <= free) return current;
    const bytes = Buffer.byteLength(text);
    if (bytes <= free) return current;
    if (bytes > blockBytes) return createBlock(bytes);
    current = spare ?? createBlock(blockBytes);
    spare = undefined;
    return current;
  }

  return {
    store(text) {
      const block = blockFor(text);
      const offset = block.used;
      const bytes = block.memory.write(text, offset);
      block.used += bytes;
      block.references += 1;
      return { block, offset, bytes };
    },
    read: ({ block, offset, bytes }) => block.memory.toString('utf8', offset, offset + bytes),
    retain({ block }) {
      block.references += 1;
    },
    release({ block }) {
      block.references -= 1;
      if (block.references > 0) return;
      block.used = 0;
      if (block !== current && block.memory.length === blockBytes) spare = block;
    },
  };
}

function createBlock(bytes: number): Block {
  return { memory: Buffer.allocUnsafeSlow(bytes), used: 0, references: 0 };
}
