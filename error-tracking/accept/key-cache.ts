import type { Logger } from 'pino'
import { findIngestKey, findIngestKeys, type IngestKey } from '../projects/ingest-keys-store.ts'
import { listen, type Listening } from '@probe-mesh/control-plane/src/stores/postgres/listen'
import type { Sql } from '@probe-mesh/control-plane/src/stores/postgres/connect'

const keysMax = 100_000
/** Unknown keys are cached for a short time, so that a page with an old DSN causes no queries. */
const unknownKeysMax = 10_000
const unknownKeyMsMax = 10_000
/** Concurrent queries to Postgres. */
const queriesMax = 8

type KeyCache = {
  /** @returns null for an unknown key; `busy` if too many queries for unknown keys are running */
  find(publicKey: string): IngestKey | null | 'busy' | Promise<IngestKey | null>
  /** Whether all keys were read once. A lost connection keeps the known keys. */
  isFilled(): boolean
  size(): number
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * The keys of all projects in memory. Notifications of Postgres update single keys; after a lost connection
 * all keys are read again. A request with an unknown key causes one query.
 */
export const createKeyCache = (capabilities: { sql: Sql; log: Logger; now: () => number }): KeyCache => {
  const { sql, log, now } = capabilities
  let keys = new Map<string, IngestKey>()
  const unknownKeys = new Map<string, number>()
  const queries = new Map<string, Promise<IngestKey | null>>()
  let listening: Listening | null = null
  let filled = false

  const store = (publicKey: string, found: IngestKey | null): void => {
    unknownKeys.delete(publicKey)
    if (found !== null) {
      if (keys.size >= keysMax && !keys.has(publicKey)) keys.clear()
      keys.set(publicKey, found)
      return
    }
    keys.delete(publicKey)
    const oldest = unknownKeys.size >= unknownKeysMax ? unknownKeys.keys().next().value : undefined
    if (oldest !== undefined) unknownKeys.delete(oldest)
    unknownKeys.set(publicKey, now())
  }
  const query = (publicKey: string): Promise<IngestKey | null> => {
    const running = queries.get(publicKey)
    if (running !== undefined) return running
    const started = findIngestKey(sql, publicKey)
      .then((found) => {
        store(publicKey, found)
        return found
      })
      .finally(() => queries.delete(publicKey))
    queries.set(publicKey, started)
    return started
  }
  const readAll = async (): Promise<void> => {
    const found = await findIngestKeys(sql, keysMax)
    unknownKeys.clear()
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
      const unknownSince = unknownKeys.get(publicKey)
      if (unknownSince !== undefined && Math.abs(now() - unknownSince) < unknownKeyMsMax) return null
      if (queries.size >= queriesMax && !queries.has(publicKey)) return 'busy'
      return query(publicKey)
    },
    isFilled: () => filled,
    size: () => keys.size,
    start: async () => {
      let first: Promise<void> | null = null
      listening = await listen(sql, 'error_keys_changed', {
        onNotify: (publicKey) => {
          // requests with this key wait for the new query
          keys.delete(publicKey)
          unknownKeys.delete(publicKey)
          queries.delete(publicKey)
          query(publicKey).catch(report)
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
