import { errors } from '@nats-io/nats-core'
import { Misfit } from '../refusal.ts'
import type { Admission, Refusal } from '../refusal.ts'

const firstWaitMs = 250
/** Whoever is refused comes again so rarely in the end: credentials may be replaced, servers repaired. */
export const refusedWaitMsMax = 120_000

/** What a server's error says of credentials; null: nothing. An overloaded server is none of it. */
const refusalIn = (error: unknown): 'revoked' | 'expired' | 'refused' | null => {
  const text = error instanceof Error ? error.message.toLowerCase() : ''
  if (text.includes('authentication timeout')) return null
  if (text.includes('authentication revoked')) return 'revoked'
  if (error instanceof errors.UserAuthenticationExpiredError) return 'expired'
  return error instanceof errors.AuthorizationError ? 'refused' : null
}

const texts: Readonly<Record<'revoked' | 'expired' | 'refused', string>> = {
  revoked: 'its credentials were revoked: "admin agent enroll" gives it new ones',
  expired: 'its credentials have expired: "admin agent rotate" gives it new ones',
  refused:
    'NATS does not let it in: its credentials were revoked, have expired, are missing or of another mesh ("admin agent list" knows them)',
}

/** Follows what one connection hears of its credentials, and how long it waits before it comes again. */
export const createRefusals = (admission: Admission | null) => {
  /** What the server said while they were in use: the next refusal is for that. */
  let told: 'revoked' | 'expired' | null = null
  let tries = 0
  return {
    /** @returns whether it was about credentials */
    hear: (error: unknown): boolean => {
      const how = refusalIn(error)
      if (how === null) return false
      // the file may hold new ones already: they are tried first
      if (how !== 'refused') told = how
      else {
        tries++
        const why = told ?? how
        admission?.onRefused({ how: why, text: texts[why] })
      }
      return true
    },
    letIn: (): void => {
      told = null
      tries = 0
      admission?.onLetIn()
    },
    waitMs: (random: number = Math.random()): number => {
      const waitMs = Math.min(firstWaitMs * 2 ** Math.min(tries, 20), refusedWaitMsMax)
      return waitMs / 2 + (random * waitMs) / 2 + (tries === 0 ? firstWaitMs / 2 : 0)
    },
  }
}

/** Why a connection could not be opened at all; null where it is for something else. */
export const refusalOf = (error: unknown): Refusal | null => {
  if (error instanceof Misfit) return { how: 'misfit', text: error.message }
  const how = refusalIn(error)
  return how === null ? null : { how, text: texts[how] }
}
