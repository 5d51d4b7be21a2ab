import { limits } from '@probe-mesh/contracts/schema/limits'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { rateLimitOf, rateLimitPolicyOf } from '../../accounts/rate-limits/quota-rules.ts'
import { createAddressRate } from '../../http/address-rate.ts'
import type { AddressRate } from '../../http/address-rate.ts'
import { addressOf } from '../../http/gateway-trust.ts'
import { sendRefusal } from '../../http/send-refusal.ts'

/** What one client address may ask for without a key, over all that needs none. */
export type KeylessBudget = {
  /** Counts a request before anything of it is read, and refuses one too many (SV-6004). */
  hook(request: FastifyRequest, reply: FastifyReply, done: () => void): void
}

/**
 * The requests that an address may make without a key (S-2303, S-2304), counted by each process for
 * itself and in memory alone: nothing is kept of an address that is quiet for a minute. A request
 * that a gateway hands on is counted as its caller's, so several gateways share one count.
 */
export const createKeylessBudget = (options: { now: () => number; perMinute: number }): KeylessBudget => {
  const { now, perMinute: limit } = options
  const windowMs = limits.budgetWindowMs
  const rate: AddressRate = createAddressRate({ now, limit, windowMs })
  const policy = rateLimitPolicyOf('keyless', limit, windowMs)
  return {
    hook: (request, reply, done) => {
      const { allowed, left, resetMs } = rate.spend(addressOf(request))
      reply.header('ratelimit-policy', policy)
      reply.header('ratelimit', rateLimitOf('keyless', left, resetMs))
      if (allowed) return done()
      const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1000))
      sendRefusal(reply, refuse('SV-6004', { retryAfterSeconds }))
    },
  }
}
