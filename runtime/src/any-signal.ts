/** As long as a signal is known, so are those it depends on. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>()

/**
 * `AbortSignal.any` that cannot miss an abort. Node 24.21 looks at the sources of such a signal when it
 * is asked, through weak references: where one was aborted while nobody listened and is collected
 * before anybody asks, the signal never aborts.
 */
export const anySignal = (signals: readonly AbortSignal[]): AbortSignal => {
  // oxlint-disable-next-line no-restricted-properties -- the one place for it
  const any = AbortSignal.any([...signals])
  sources.set(any, signals)
  return any
}
