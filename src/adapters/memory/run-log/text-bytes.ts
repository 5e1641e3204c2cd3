/** Approximate size of a text without its characters, in bytes. */
const TEXT_BYTES = 24;

/** The approximate size of a text in bytes. */
export function textBytes(text: string): number {
  return TEXT_BYTES + Buffer.byteLength(text);
}
