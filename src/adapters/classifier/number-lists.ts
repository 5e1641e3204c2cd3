/** Writes ascending numbers as the differences between them, seven bits a byte; the highest bit says that more follow. */
export function encodeAscending(numbers: Uint32Array): Uint8Array {
  const bytes: number[] = [];
  let before = 0;
  for (const number of numbers) {
    let rest = number - before;
    for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
    bytes.push(rest);
    before = number;
  }
  return Uint8Array.from(bytes);
}

/** Reads what {@link encodeAscending} wrote; undefined where a number is not below `limit` or the last is incomplete. */
export function decodeAscending(bytes: Uint8Array, limit: number): Uint32Array | undefined {
  const numbers: number[] = [];
  let number = 0;
  let shift = 0;
  for (const byte of bytes) {
    number += (byte & 0x7f) * 2 ** shift;
    if (number >= limit) return undefined;
    if (byte & 0x80) {
      shift += 7;
      continue;
    }
    numbers.push(number);
    shift = 0;
  }
  return shift === 0 ? Uint32Array.from(numbers) : undefined;
}
