/** Keeps the sources of a signal alive as long as the signal. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>()

/**
 * `AbortSignal.any` that cannot miss an abort. Node 24.21 holds the sources through weak references and reads
 * them lazily. It misses the abort of a source that is garbage collected before the first read.
 */
export const anySignal = (signals: readonly AbortSignal[]): AbortSignal => {
  // oxlint-disable-next-line no-restricted-properties -- the only permitted use
  const any = AbortSignal.any([...signals])
  sources.set(any, signals)
  return any
}
