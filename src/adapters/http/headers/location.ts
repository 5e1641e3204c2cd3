/**
 * The path of a resource below `base`, of segments that may have any characters, such as ids that a program has chosen.
 */
export function resourcePath(base: string, ...segments: readonly string[]): string {
  return [base, ...segments.map((segment) => encodeURIComponent(segment))].join('/');
}
