import { createWriteBuffer, type WriteBuffer, type WriteBufferOptions } from './write-buffer.ts';

/** How a write buffer writes; limits, clock and logger are the same for all. */
export type WriteBufferActions<T, O> = Pick<WriteBufferOptions<T, O>, 'write' | 'merge' | 'onDropped'>;

/** All write buffers of this process. */
export interface WriteBuffers {
  /** Creates a buffer. */
  create<T, O>(actions: WriteBufferActions<T, O>): WriteBuffer<T, O>;
  /** Writes all buffered items. Resolves when the buffers are empty or the store is unavailable; never rejects. */
  flushAll(): Promise<void>;
  /** Number of ids with items, in all buffers. */
  readonly size: number;
}

/** Creates {@link WriteBuffers} with the same options each; `onDropped` is called for the drops of every buffer. */
export function createWriteBuffers(
  options: Omit<WriteBufferOptions<never, never>, 'write' | 'merge'>,
): WriteBuffers {
  const buffers: Pick<WriteBuffer<never, unknown>, 'size' | 'flushAll'>[] = [];
  return {
    create(actions) {
      const onDropped = (id: string): void => {
        actions.onDropped?.(id);
        options.onDropped?.(id);
      };
      const buffer = createWriteBuffer({ ...options, ...actions, onDropped });
      buffers.push(buffer);
      return buffer;
    },
    async flushAll() {
      await Promise.all(buffers.filter(({ size }) => size > 0).map((buffer) => buffer.flushAll()));
    },
    get size() {
      return buffers.reduce((sum, buffer) => sum + buffer.size, 0);
    },
  };
}
