import { describe, expect, test } from 'vitest';
import type { ErasureMarks } from '../../src/ports/storage/erasure-marks.ts';

/**
 * The promises of the marks of every store. `make` creates two that share their marks; the same where one process has
 * all.
 */
export function erasureMarksContract(
  name: string,
  make: () => Promise<readonly [ErasureMarks, ErasureMarks]>,
): void {
  describe(`${name} as marks of erasures`, () => {
    test('has none of a customer who was never erased', async () => {
      const [marks, other] = await make();
      await marks.mark('somebody else');
      expect(await marks.last('customer')).toBeUndefined();
      expect(await other.last('customer')).toBeUndefined();
    });

    test('shows another mark after each erasure, in every process', async () => {
      const [marks, other] = await make();
      const seen = [];
      for (let count = 0; count < 3; count++) {
        await marks.mark('Kunde "ü" ☃');
        const last = await other.last('Kunde "ü" ☃');
        expect(last).toBe(await marks.last('Kunde "ü" ☃'));
        seen.push(last);
      }
      expect(seen).not.toContain(undefined);
      expect(new Set(seen).size).toBe(3);
    });
  });
}
