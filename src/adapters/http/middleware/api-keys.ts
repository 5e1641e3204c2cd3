import { hash, timingSafeEqual } from 'node:crypto';

/** Returns whether the key of a request is one of the accepted keys. */
export type KeyCheck = (key: string | undefined) => boolean;

/**
 * Creates a check against a set of keys (specification, section 5.2). It compares the digest of the request's key with
 * the digests of all accepted keys in constant time, so that timing shows neither the number of keys nor a match.
 */
export function createKeyCheck(
  keys: readonly string[],
  equal: (a: Uint8Array, b: Uint8Array) => boolean = timingSafeEqual,
): KeyCheck {
  const digests = keys.map(digest);
  return function isAccepted(key) {
    const candidate = digest(key ?? '');
    let matches = 0;
    for (const accepted of digests) matches |= Number(equal(candidate, accepted));
    return matches === 1 && key !== undefined && key !== '';
  };
}

function digest(key: string): Uint8Array {
  return hash('sha256', key, 'buffer');
}
