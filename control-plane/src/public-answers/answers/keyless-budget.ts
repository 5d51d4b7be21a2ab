import { rateLimits } from '@probe-mesh/contracts/account/rate-limits'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { rateLimitOf, rateLimitPolicyOf } from '../../accounts/rate-limits/quota-rules.ts'
import { createAddressRate, type AddressRate } from '../../http/address-rate.ts'
import { addressOf } from '../../http/gateway-trust.ts'
import { sendRefusal } from '../../http/send-refusal.ts'

const usedUp = 'This address has used its requests for this minute.'

/** The request budget of a client address over all keyless routes. */
export type KeylessBudget = {
  /** Counts a request before its body is read, and refuses it if the budget is spent (SV-6004). */
  hook(request: FastifyRequest, reply: FastifyReply, done: () => void): void
}

/**
 * Limits the keyless requests of each address (S-2303, S-2304). Each process counts separately and in memory
 * only; an address is forgotten after a minute without requests. A request from a gateway counts for its
 * original caller, so several gateways share one count.
 */
export const createKeylessBudget = (options: { now: () => number; perMinute: number }): KeylessBudget => {
  const { now, perMinute: limit } = options
  const windowMs = rateLimits.windowMs
  const rate: AddressRate = createAddressRate({ now, limit, windowMs })
  const policy = rateLimitPolicyOf('keyless', limit, windowMs)
  return {
    hook: (request, reply, done) => {
      const address = addressOf(request)
      const { socket } = request.raw
      const isDirect = address === socket.remoteAddress
      const { allowed, left, resetMs } = isDirect ? rate.spend(address, socket) : rate.spend(address)
      reply.header('ratelimit-policy', policy)
      reply.header('ratelimit', rateLimitOf('keyless', left, resetMs))
      if (allowed) return done()
      const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1000))
      sendRefusal(
        reply,
        refuse('SV-6004', { message: `${usedUp} Retry in ${retryAfterSeconds} s.`, retryAfterSeconds }),
      )
    },
  }
}
