import type { CallContext } from '../protocol/resource.ts'
import type { Answer } from './failure.ts'

/** A list that many ask for at once, and that is asked for once. */
export type Listing<T> = {
  get(context: CallContext): Promise<Answer<T>>
  /** What is asked for from now on is asked for anew: something was written. */
  forget(): void
}

/** @param load a failure is given to all who wait, and not kept */
export const createListing = <T>(
  load: (context: CallContext) => Promise<Answer<T>>,
): Listing<T> => {
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
