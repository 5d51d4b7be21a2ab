import { backoffMs, halfJitter } from '@probe-mesh/runtime/backoff'
import { errors } from '@nats-io/nats-core'
import { Misfit, type Admission, type Refusal } from '../refusal.ts'

const firstWaitMs = 250
/** The longest wait after refusals: credentials may be replaced, servers repaired. */
export const refusedWaitMsMax = 120_000

/** The refusal of credentials in a server's error; null: another error, such as an overloaded server. */
const refusalIn = (error: unknown): 'revoked' | 'expired' | 'refused' | null => {
  const text = error instanceof Error ? error.message.toLowerCase() : ''
  if (text.includes('authentication timeout')) return null
  if (text.includes('authentication revoked')) return 'revoked'
  if (error instanceof errors.UserAuthenticationExpiredError) return 'expired'
  return error instanceof errors.AuthorizationError ? 'refused' : null
}

const texts: Readonly<Record<'revoked' | 'expired' | 'refused', string>> = {
  revoked: 'its credentials were revoked: create new ones with "admin agent enroll"',
  expired: 'its credentials have expired: replace them with "admin agent rotate"',
  refused:
    'NATS refuses it: its credentials were revoked, have expired, are missing or belong to another mesh (see "admin agent list")',
}

/** Tracks refusals of one connection, and how long it waits before it reconnects. */
export const createRefusals = (admission: Admission | null) => {
  /** The server's reason during the connection: the next refusal has the same. */
  let told: 'revoked' | 'expired' | null = null
  let tries = 0
  return {
    /** @returns whether it was about credentials */
    hear: (error: unknown): boolean => {
      const how = refusalIn(error)
      if (how === null) return false
      // the file may already have new credentials, so they are tried first
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
      const waits = { firstMs: firstWaitMs, maxMs: refusedWaitMsMax }
      const waitMs = halfJitter(backoffMs(waits, tries + 1), random)
      return waitMs + (tries === 0 ? firstWaitMs / 2 : 0)
    },
  }
}

/** Why the server refused a connection; null for any other error. */
export const refusalOf = (error: unknown): Refusal | null => {
  if (error instanceof Misfit) return { how: 'misfit', text: error.message }
  const how = refusalIn(error)
  return how === null ? null : { how, text: texts[how] }
}
