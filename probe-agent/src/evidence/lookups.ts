import { anySignal } from '@probe-mesh/runtime/any-signal'

export type LookupCounts = {
  /** Lookups started. */
  begun: number
  /** Requested while the queue was full; a later request tries again. */
  dropped: number
}

/** Background lookups with a bounded concurrency; each host is looked up once at a time. */
export type Lookups = {
  request(host: string): void
  readonly counts: Readonly<LookupCounts>
  /** Forgets queued lookups and aborts running ones. */
  close(): void
}

/**
 * @param look looks up a host until the signal aborts; it handles its own failures
 */
export const createLookups = (
  look: (host: string, signal: AbortSignal) => Promise<void>,
  bounds: { lookupsMax: number; waitingMax: number; lookupMsMax: number },
): Lookups => {
  const waiting = new Set<string>()
  const underWay = new Set<string>()
  const counts = { begun: 0, dropped: 0 }
  const closing = new AbortController()

  const begin = (host: string): void => {
    waiting.delete(host)
    underWay.add(host)
    counts.begun += 1
    const signal = anySignal([closing.signal, AbortSignal.timeout(bounds.lookupMsMax)])
    void look(host, signal).finally(() => {
      underWay.delete(host)
      const [next] = waiting
      if (next !== undefined) begin(next)
    })
  }

  return {
    request: (host) => {
      if (closing.signal.aborted || waiting.has(host) || underWay.has(host)) return
      if (underWay.size < bounds.lookupsMax) return begin(host)
      if (waiting.size < bounds.waitingMax) waiting.add(host)
      else counts.dropped += 1
    },
    counts,
    close: () => {
      waiting.clear()
      closing.abort()
    },
  }
}
