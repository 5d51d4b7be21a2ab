import { AsyncLocalStorage } from 'node:async_hooks'

/** The cached reads of one request; null after its end. */
type Memo = { known: Map<string, Promise<unknown>> | null }

const memos = new AsyncLocalStorage<Memo>()

/**
 * Runs the internal calls of one request with a shared cache, such as a page that calls several routes. The cache
 * ends with the work.
 */
export const withRequestMemo = async <T>(work: () => Promise<T>): Promise<T> => {
  const memo: Memo = { known: new Map() }
  try {
    return await memos.run(memo, work)
  } finally {
    memo.known = null
  }
}

/** Reads a value once per request, or each time outside of a request. @param key identifies the value */
export const memoized = <T>(key: string, read: () => Promise<T>): Promise<T> => {
  const known = memos.getStore()?.known
  if (known === null || known === undefined) return read()
  const value = (known.get(key) as Promise<T> | undefined) ?? read()
  known.set(key, value)
  return value
}

/** Clears the cache before a write, so that the rest of the request reads again. */
export const clearRequestMemo = (): void => memos.getStore()?.known?.clear()
