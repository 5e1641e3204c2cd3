import { hash, timingSafeEqual } from 'node:crypto';

/** Says whether a presented key is one of the accepted ones. */
export type KeyCheck = (presented: string | undefined) => boolean;

/**
 * A check against a set of keys (specification, section 5.2). The presented key is digested once and compared with
 * the digest of every accepted key, in constant time and without leaving early, so that timing tells neither how
 * many keys there are, nor which matched, nor how much of one.
 */
export function createKeyCheck(
  keys: readonly string[],
  equal: (a: Uint8Array, b: Uint8Array) => boolean = timingSafeEqual,
): KeyCheck {
  const digests = keys.map(digest);
  return function isAccepted(presented) {
    const candidate = digest(presented ?? '');
    let matches = 0;
    for (const accepted of digests) matches |= Number(equal(candidate, accepted));
    return matches === 1 && presented !== undefined && presented !== '';
  };
}

function digest(key: string): Uint8Array {
  return hash('sha256', key, 'buffer');
}
