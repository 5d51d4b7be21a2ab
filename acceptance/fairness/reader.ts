import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Stage } from './stage.ts'

export type Reading = {
  origin: string
  owner: Pick<Stage['owner'], 'email' | 'password' | 'from'>
  count: number
  /** Keeps the reads within the rate limit of one user. */
  betweenMs: number
}

/**
 * Reads the account's checks from a thread, whose loop no attacker shares. @returns the duration of each read, ms.
 * @throws if a read is refused
 */
export const readChecks = async (
  { origin, owner }: Stage,
  { count, betweenMs }: Pick<Reading, 'count' | 'betweenMs'>,
): Promise<number[]> => {
  const { email, password, from } = owner
  const reading: Reading = { origin, owner: { email, password, from }, count, betweenMs }
  const thread = new Worker(new URL('reader-thread.ts', import.meta.url), { workerData: reading })
  const [tookMs] = (await once(thread, 'message')) as [number[]]
  return tookMs
}
