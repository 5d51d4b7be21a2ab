import type { CallContext } from '../protocol/resource.ts'
import type { Answer } from './failure.ts'

/** A list that concurrent reads share: one request serves them all. */
export type Listing<T> = {
  get(context: CallContext): Promise<Answer<T>>
  /** Discards the list after a write: the next read requests it again. */
  forget(): void
}

/** @param load its failure reaches every waiting read and is not cached */
export const createListing = <T>(load: (context: CallContext) => Promise<Answer<T>>): Listing<T> => {
  let current: Promise<Answer<T>> | null = null
  return {
    get: (context) => {
      if (current !== null) return current
      const asked = load(context)
      current = asked
      const drop = (): void => {
        if (current === asked) current = null
      }
      asked.then(({ ok }) => (ok ? undefined : drop()), drop)
      return asked
    },
    forget: () => {
      current = null
    },
  }
}
