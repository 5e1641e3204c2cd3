/** A block of memory outside of V8's heap, filled with texts from its beginning. */
interface Slab {
  readonly memory: Buffer;
  used: number;
  /** How often its texts are kept. */
  kept: number;
}

/** Where a kept text lies. */
export interface KeptText {
  readonly slab: Slab;
  readonly at: number;
  /** Its length in UTF-8. */
  readonly bytes: number;
}

/** Keeps texts outside of V8's heap, so that the collector neither copies nor visits them. */
export interface TextSlabs {
  /** Keeps a well-formed text until it is dropped. */
  keep(text: string): KeptText;
  /** Keeps a kept text once more: it then has to be dropped once more. */
  keepOn(kept: KeptText): void;
  /** A kept text as it was. */
  read(kept: KeptText): string;
  /** Lets go of a text, as often as it was kept. Its memory is used again when all texts of its slab are let go of. */
  drop(kept: KeptText): void;
}

/** The most bytes that one UTF-16 unit becomes in UTF-8. */
const LONGEST_UNIT = 3;

/**
 * Slabs of `slabBytes`, for texts that are dropped about in the order in which they came: a single text keeps its
 * slab alive. With 0, each text has a slab of its own, for texts that are dropped in any order. Kept in the heap
 * instead, the text of a trace cost 10 µs more: it outlives every young collection, which copies it twice.
 */
export function createTextSlabs(slabBytes: number): TextSlabs {
  let current = newSlab(0);
  let spare: Slab | undefined;

  function slabFor(text: string): Slab {
    const room = current.memory.length - current.used;
    if (text.length * LONGEST_UNIT <= room) return current;
    const bytes = Buffer.byteLength(text);
    if (bytes <= room) return current;
    if (bytes > slabBytes) return newSlab(bytes);
    current = spare ?? newSlab(slabBytes);
    spare = undefined;
    return current;
  }

  return {
    keep(text) {
      const slab = slabFor(text);
      const at = slab.used;
      const bytes = slab.memory.write(text, at);
      slab.used += bytes;
      slab.kept += 1;
      return { slab, at, bytes };
    },
    keepOn({ slab }) {
      slab.kept += 1;
    },
    read: ({ slab, at, bytes }) => slab.memory.toString('utf8', at, at + bytes),
    drop({ slab }) {
      slab.kept -= 1;
      if (slab.kept > 0) return;
      slab.used = 0;
      if (slab !== current && slab.memory.length === slabBytes) spare = slab;
    },
  };
}

function newSlab(bytes: number): Slab {
  return { memory: Buffer.allocUnsafeSlow(bytes), used: 0, kept: 0 };
}
