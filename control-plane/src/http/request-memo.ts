import { AsyncLocalStorage } from 'node:async_hooks'

/** What the parts of one visit have learnt; null once it is over, or once something was changed. */
type Visit = { known: Map<string, Promise<unknown>> | null }

const visits = new AsyncLocalStorage<Visit>()

/**
 * Runs what one request of a visitor asks of this process by calls within it, such as a page that is
 * made of several routes. It is over when the work is: nothing is remembered for another request.
 */
export const withRequestMemo = async <T>(work: () => Promise<T>): Promise<T> => {
  const visit: Visit = { known: new Map() }
  try {
    return await visits.run(visit, work)
  } finally {
    visit.known = null
  }
}

/** Reads something once a visit; outside of one, each time. @param key names all that it depends on */
export const memoized = <T>(key: string, read: () => Promise<T>): Promise<T> => {
  const known = visits.getStore()?.known
  if (known === null || known === undefined) return read()
  const value = (known.get(key) as Promise<T> | undefined) ?? read()
  known.set(key, value)
  return value
}

/** What writes may change what was read: the rest of the visit reads anew. */
export const clearRequestMemo = (): void => visits.getStore()?.known?.clear()
