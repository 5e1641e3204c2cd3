/** Creates a value at its first use. What throws is tried again at the next use. */
export function lazy<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
