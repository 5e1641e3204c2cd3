/**
 * A stream that takes each chunk when its reader asks for it, and ends the iteration when its reader leaves. It does
 * what `ReadableStream.from` does, which the types of browsers do not have, and the console is compiled with those.
 */
export function streamOf<Chunk>(chunks: Iterable<Chunk> | AsyncIterable<Chunk>): ReadableStream<Chunk> {
  const iterator = iterate(chunks);
  return new ReadableStream<Chunk>(
    {
      async pull(controller) {
        const next = await iterator.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await iterator.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* iterate<Chunk>(
  chunks: Iterable<Chunk> | AsyncIterable<Chunk>,
): AsyncGenerator<Chunk, undefined, undefined> {
  yield* chunks;
  return undefined;
}
