import { hash } from 'node:crypto'
import { apiKeyScope } from '@probe-mesh/contracts/account/key-text'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { inTurn } from '@probe-mesh/runtime/account-turns'
import type { Sql } from '../stores/postgres/connect.ts'
import { findKeyOwner } from './keys-store.ts'
import type { KeyOwner } from './operations/context.ts'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'

/** How long a revoked key or a former tier is still accepted. */
export const keyAgeMsMax = 5_000
const keysMax = 20_000

/** Finds the owner of the key in a request's `Authorization`. */
export type KeyAuthenticator = {
  /** The caller when the key is cached, else undefined. Costs one hash at most. */
  recall(authorization: string | undefined): KeyOwner | undefined
  /**
   * @returns the caller; SV-1001 without a key; SV-1002 with a malformed, unknown or revoked key; SV-1012
   * when the account is suspended
   * @param network of the client: look-ups of different networks take turns
   * @throws `StoreBusy`
   */
  authenticate(authorization: string | undefined, network?: string): Promise<KeyOwner | Refusal>
  close(): void
}

export const createKeyAuthenticator = (capabilities: { sql: Sql; now: () => number }): KeyAuthenticator => {
  const { sql, now } = capabilities
  // keyed by hash, so that no key stays in memory for longer than a few seconds
  const callers = createExpiringCache<KnownKey>({ now, ageMsMax: keyAgeMsMax, entriesMax: keysMax })
  const hashes = createRecentHashes()

  return {
    recall: (authorization) => {
      if (authorization === undefined) return undefined
      const recent = hashes.of(authorization)
      const keyHash = recent ?? hashOfBearer(authorization)
      const known = keyHash === null ? undefined : callers.peek(keyHash)
      if (keyHash === null || known === undefined || known.isSuspended) return undefined
      if (recent === undefined) hashes.add(authorization, keyHash)
      return known
    },
    authenticate: async (authorization, network = '') => {
      const apiKey = bearer(authorization)
      if (apiKey === null) return refuse('SV-1001')
      const keyHash = hashOf(apiKey)
      const known = callers.peek(keyHash)
      if (known !== undefined) return callerOf(known)
      // the checksum detects a typo without a query
      if (apiKeyScope(apiKey) === null) return refuse('SV-1002')
      return callers.load<KeyOwner | Refusal>(keyHash, '', async () => {
        const find = () => findKeyOwner(sql, Buffer.from(keyHash, 'base64url'))
        const found = await inTurn(sql, network, find)
        return { keep: found, value: found === null ? refuse('SV-1002') : callerOf(found) }
      })
    },
    close: () => {
      callers.clear()
      hashes.clear()
    },
  }
}

/** A cached key. */
type KnownKey = KeyOwner & { isSuspended: boolean }

const callerOf = (known: KnownKey): KeyOwner | Refusal => (known.isSuspended ? refuse('SV-1012') : known)

const hashOfBearer = (authorization: string): string | null => {
  const apiKey = bearer(authorization)
  return apiKey === null ? null : hashOf(apiKey)
}

/** Keys in use at a time; of more, a hash is computed for each request. */
const recentMax = 1_000

/**
 * The hashes of the keys that were used in the last seconds: a hash costs more than the rest of a look-up. All are
 * forgotten together, so that no key stays in memory longer than a known key does.
 */
const createRecentHashes = () => {
  const hashes = new Map<string, string>()
  let forgetting: NodeJS.Timeout | null = null
  const clear = (): void => {
    if (forgetting !== null) clearTimeout(forgetting)
    forgetting = null
    hashes.clear()
  }
  return {
    of: (authorization: string): string | undefined => hashes.get(authorization),
    add: (authorization: string, keyHash: string): void => {
      if (hashes.size >= recentMax) return
      hashes.set(authorization, keyHash)
      forgetting ??= setTimeout(clear, keyAgeMsMax).unref()
    },
    clear,
  }
}

const hashOf = (apiKey: string): string => hash('sha256', apiKey, 'base64url')

/** The token of `Authorization: Bearer <token>` (RFC 6750 2.1; the scheme in any case). */
const bearer = (authorization: string | undefined): string | null => {
  if (authorization === undefined) return null
  const scheme = authorization.slice(0, 7)
  if (scheme !== 'Bearer ' && scheme.toLowerCase() !== 'bearer ') return null
  const token = authorization.slice(7).trim()
  return token === '' ? null : token
}
