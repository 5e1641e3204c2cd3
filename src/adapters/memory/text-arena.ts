/** A block of memory outside of V8's heap, filled with texts from its start. */
interface Block {
  readonly memory: Buffer;
  used: number;
  /** How many references to its texts are held. */
  references: number;
}

/** A reference to a stored text. */
export interface StoredText {
  readonly block: Block;
  readonly offset: number;
  /** Its length in UTF-8. */
  readonly bytes: number;
}

/** Texts outside of V8's heap, with counted references. */
export interface TextArena {
  /** Stores a well-formed text; the caller holds one reference to it. */
  store(text: string): StoredText;
  /** Returns a stored text, to which the caller must hold a reference. */
  read(stored: StoredText): string;
  /** Adds a reference, which must be released too. */
  retain(stored: StoredText): void;
  /** Releases one reference. A block is reused when no reference to any of its texts is left. */
  release(stored: StoredText): void;
}

/** The most bytes of UTF-8 for one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Creates a {@link TextArena} with blocks of `blockBytes`, for texts that are released about in the order in which they
 * were stored: one text keeps its whole block. With 0 each text has a block of its own, for any order.
 *
 * Stored records outlive young collections of V8's heap, which would copy them twice, and a `Buffer` for each is freed
 * only by a full collection; blocks that are reused cost neither (benchmarks `http` and `memory`).
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
