/**
 * True for a path with a segment that stands for the same or the next higher level, and so may lead to another address
 * than it seems to. Some servers decode percent-encoded separators first, decode twice, or cut a segment at `;`.
 */
export function hasDotSegment(path: string): boolean {
  const decoded = path.replaceAll(/%(?:25)*(2e|2f|3b|5c)/gi, (_, code: string) =>
    decodeURIComponent(`%${code}`),
  );
  return decoded.split(/[/\\]/).some((segment) => /^\.{1,2}(?:;|$)/.test(segment));
}
