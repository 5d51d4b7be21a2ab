import type { Logger } from 'pino'
import { findDoorKey, findDoorKeys } from '../projects/error-door-store.ts'
import type { DoorKey } from '../projects/error-door-store.ts'
import { listen } from '../../stores/postgres/listen.ts'
import type { Listening } from '../../stores/postgres/listen.ts'
import type { Sql } from '../../stores/postgres/connect.ts'

const keysMax = 100_000
/** Keys that are none: remembered for a while, so that a page with an old DSN asks nobody. */
const strangersMax = 10_000
const strangerAgeMsMax = 10_000
/** Questions to Postgres under way. */
const questionsMax = 8

type DoorKeys = {
  /** @returns null where there is no such key; `busy` where too many unknown ones are asked for */
  find(publicKey: string): DoorKey | null | 'busy' | Promise<DoorKey | null>
  /** Whether all keys were read once. Later losses of the connection leave what is known. */
  isFilled(): boolean
  size(): number
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * The keys of all projects, in memory. It follows Postgres by notices and reads all after every loss of
 * them; only a key that it has never seen is asked for, once, in the request that brings it.
 */
export const createDoorKeys = (capabilities: { sql: Sql; log: Logger; now: () => number }): DoorKeys => {
  const { sql, log, now } = capabilities
  let keys = new Map<string, DoorKey>()
  const strangers = new Map<string, number>()
  const asking = new Map<string, Promise<DoorKey | null>>()
  let listening: Listening | null = null
  let filled = false

  const note = (publicKey: string, found: DoorKey | null): void => {
    strangers.delete(publicKey)
    if (found !== null) {
      if (keys.size >= keysMax && !keys.has(publicKey)) keys.clear()
      keys.set(publicKey, found)
      return
    }
    keys.delete(publicKey)
    const eldest = strangers.size >= strangersMax ? strangers.keys().next().value : undefined
    if (eldest !== undefined) strangers.delete(eldest)
    strangers.set(publicKey, now())
  }
  const ask = (publicKey: string): Promise<DoorKey | null> => {
    const known = asking.get(publicKey)
    if (known !== undefined) return known
    const question = findDoorKey(sql, publicKey)
      .then((found) => {
        note(publicKey, found)
        return found
      })
      .finally(() => asking.delete(publicKey))
    asking.set(publicKey, question)
    return question
  }
  const readAll = async (): Promise<void> => {
    const found = await findDoorKeys(sql, keysMax)
    strangers.clear()
    keys = new Map(found.map((key) => [key.publicKey, key]))
    filled = true
  }
  const report = (error: unknown): void => {
    log.warn({ err: error }, 'error project keys cannot be loaded; reading each unknown key from postgres')
  }

  return {
    find: (publicKey) => {
      const known = keys.get(publicKey)
      if (known !== undefined) return known
      const strangeSince = strangers.get(publicKey)
      if (strangeSince !== undefined && Math.abs(now() - strangeSince) < strangerAgeMsMax) return null
      if (asking.size >= questionsMax && !asking.has(publicKey)) return 'busy'
      return ask(publicKey)
    },
    isFilled: () => filled,
    size: () => keys.size,
    start: async () => {
      let first: Promise<void> | null = null
      listening = await listen(sql, 'error_keys_changed', {
        onNotify: (publicKey) => {
          // until the answer is here the key is asked for by whoever brings it
          keys.delete(publicKey)
          strangers.delete(publicKey)
          asking.delete(publicKey)
          ask(publicKey).catch(report)
        },
        onConnected: () => {
          const reading = readAll().catch(report)
          first ??= reading
        },
      })
      await first
    },
    close: async () => {
      await listening?.close()
    },
  }
}
