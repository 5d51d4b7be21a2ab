import { isClickHouseAway, isForAnotherReplica } from './connect.ts'

/**
 * Acts on one of some servers that can do the same: on the one that did last, else on the next, each once.
 * @throws what the last one said when none can; anything at once that another could not heal
 */
export const createReplicas = <R>(
  replicas: readonly R[],
): (<T>(act: (replica: R) => Promise<T>) => Promise<T>) => {
  let preferred = 0
  const leave = (at: number): void => {
    if (preferred === at) preferred = (at + 1) % replicas.length
  }
  return async (act) => {
    const first = preferred
    let failure: unknown = new Error('there is no replica')
    for (let tried = 0; tried < replicas.length; tried += 1) {
      const at = (first + tried) % replicas.length
      const replica = replicas[at]
      if (replica === undefined) break
      try {
        return await act(replica)
      } catch (error) {
        // who gave up waiting says nothing of the next one, but asks it first
        if (isForAnotherReplica(error) || isGivenUp(error)) leave(at)
        if (!isForAnotherReplica(error)) throw error
        if (tried === 0 || isClickHouseAway(error)) failure = error
      }
    }
    throw failure
  }
}

const isGivenUp = (error: unknown): boolean =>
  error instanceof Error && /abort/i.test(`${error.name} ${error.message}`)
