import { networkOf } from '@probe-mesh/contracts/target/network-of'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RelayRequestKind } from '@probe-mesh/contracts/agent/relay'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { inTurn } from '@probe-mesh/runtime/account-turns'
import type { AdmittedAgent, RelayContext } from './context.ts'
import { createTokenRates, type Entered } from './token-rates.ts'
import { addressOf } from '../../http/gateway-trust.ts'
import { sendRefusal } from '../../http/send-refusal.ts'
import { hash } from 'node:crypto'
import { agentIdOfToken } from '@probe-mesh/contracts/account/key-text'
import { findAgentOfToken } from '../../agents/private-agents-store.ts'

/** The most accounts remembered for recently valid tokens. */
const knownMax = 10_000

type RelayDoor = {
  /**
   * Refuses requests beyond the limits of a token (SV-6002) before the body is read and the token looked up.
   */
  hook(kind: RelayRequestKind): (request: FastifyRequest, reply: FastifyReply, done: () => void) => void
  /** The agent of a request. Look-ups of accounts take turns. @throws `StoreBusy` */
  admit(request: FastifyRequest): Promise<AdmittedAgent | Refusal>
  /** The request counts as running until this work has ended, even if its caller leaves. */
  during<T>(request: FastifyRequest, work: Promise<T>): Promise<T>
  /** The stream of the request is open: it no longer counts as running. */
  answered(request: FastifyRequest): void
}

/** Checks every request before the routes of private agents. */
export const createRelayDoor = (
  capabilities: Pick<RelayContext, 'sql' | 'now'> & {
    onRefused(reason: 'in_flight' | 'rate'): void
  },
): RelayDoor => {
  const { sql, now, onRefused } = capabilities
  const rates = createTokenRates(now)
  const inside = new WeakMap<FastifyRequest, Entered & { works: number; isAnswered: boolean }>()
  const accounts = new Map<string, string>()

  const answered = (request: FastifyRequest): void => {
    const one = inside.get(request)
    if (one === undefined) return
    one.isAnswered = true
    if (one.works === 0) one.leave()
  }
  return {
    hook: (kind) => (request, reply, done) => {
      const tokenHash = hashOfToken(request.headers.authorization)
      // a malformed token is refused by `admit`, without a look-up
      if (isRefusal(tokenHash)) return done()
      const entered = rates.enter(tokenHash, kind)
      if ('refused' in entered) {
        const { refused, retryAfterSeconds } = entered
        onRefused(refused)
        const message = refused === 'rate' ? tooOften : tooMany
        sendRefusal(reply, refuse('SV-6002', { message, retryAfterSeconds }))
        return
      }
      const one = { ...entered, works: 0, isAnswered: false }
      inside.set(request, one)
      reply.raw.once('finish', () => answered(request))
      reply.raw.once('close', () => answered(request))
      done()
    },
    admit: async (request) => {
      const tokenHash = hashOfToken(request.headers.authorization)
      if (isRefusal(tokenHash)) return tokenHash
      const owner = accounts.get(tokenHash) ?? networkOf(addressOf(request))
      const agent = await inTurn(sql, owner, () => admitAgent({ sql }, tokenHash))
      if (isRefusal(agent)) {
        accounts.delete(tokenHash)
        return agent
      }
      if (!accounts.has(tokenHash)) accounts.set(tokenHash, agent.accountId)
      const [eldest] = accounts.keys()
      if (accounts.size > knownMax && eldest !== undefined) accounts.delete(eldest)
      return agent
    },
    answered,
    during: async (request, work) => {
      const one = inside.get(request)
      if (one !== undefined) one.works += 1
      try {
        return await work
      } finally {
        if (one !== undefined) one.works -= 1
        if (one?.isAnswered === true) answered(request)
      }
    },
  }
}

const tooMany =
  'This agent has too many requests in flight. Send the next message after the previous one is answered.'
const tooOften = 'This agent sends too many requests. Wait for the time in Retry-After.'

/** The hash of a token, without a look-up: SV-1001 if it is missing, SV-1002 if it is malformed. */
const hashOfToken = (authorization: string | undefined): string | Refusal => {
  if (authorization === undefined) return refuse('SV-1001', { message: noToken })
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
  // a typo needs no look-up
  if (agentIdOfToken(token) === null) return refuse('SV-1002', { message: badToken })
  return hash('sha256', token, 'base64url')
}

/**
 * The agent of a token: SV-1002 if the token is unknown or revoked, SV-1012 if the account is suspended
 * (S-2903).
 */
const admitAgent = async (
  { sql }: Pick<RelayContext, 'sql'>,
  tokenHash: string,
): Promise<AdmittedAgent | Refusal> => {
  const agent = await findAgentOfToken(sql, Buffer.from(tokenHash, 'base64url'))
  if (agent === null) return refuse('SV-1002', { message: badToken })
  const { isSuspended, ...admitted } = agent
  return isSuspended ? refuse('SV-1012') : admitted
}

const noToken = "Send the agent's token: Authorization: Bearer <token>."
const badToken = 'This token is malformed, unknown or revoked. Rotate it, or enrol the agent again.'
