/** The keys of a JSON pointer (RFC 6901): `/lines/0/a~1b` has `lines`, `0` and `a/b`. */
export function pointerKeys(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
