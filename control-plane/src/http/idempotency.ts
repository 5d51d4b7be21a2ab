import { isRefusal, refuse, toProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { claimRequest, settleClaim, type StoredAnswer } from '../accounts/operations/claims.ts'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { sendJson } from './send-json.ts'
import { sendRefusal } from './send-refusal.ts'

/** The `Idempotency-Key` of a request, if it has one. */
export const idempotencyKeyOf = (request: FastifyRequest): string | undefined => {
  const sent = request.headers['idempotency-key']
  return Array.isArray(sent) ? sent.join(',') : sent
}

const soundKey = /^[\x21-\x7e]{1,255}$/
const unsoundKey = 'must be 1 to 255 visible ASCII characters'

/** The time to store a claim and its answer, in addition to the work. */
const settleMsMax = 5_000

/** The work of a request with a key. */
type KeyedWork = {
  key: string
  caller: Caller
  /** Whose keys these are within the account; absent: those of all its API keys. */
  owner?: string
  success: number
  workMsMax: number
  /** The answer contains a secret that is shown once. It is not stored, and a repeated request gets an error. */
  isSecret: boolean
  work: (caller: Caller) => Promise<string | Refusal>
}

type ClaimContext = Pick<AccountContext, 'sql' | 'now' | 'log'>

/**
 * Answers a request with an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). Its work runs once; a
 * repeated request gets the same answer with `Idempotency-Replayed: true`.
 */
export const answerOnce = async (
  context: ClaimContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { key, caller, owner, success, workMsMax, isSecret, work }: KeyedWork,
): Promise<FastifyReply> => {
  if (!soundKey.test(key)) {
    const errors = [{ path: 'Idempotency-Key', message: unsoundKey }]
    return sendRefusal(reply, refuse('SV-2001', { errors }))
  }
  const claim = await claimRequest(context, {
    accountId: caller.accountId,
    key: owner === undefined ? key : `${owner} ${key}`,
    route: `${request.method} ${request.url}`,
    body: request.bodyText,
    workMsMax: workMsMax + settleMsMax,
  })
  if (isRefusal(claim)) return sendRefusal(reply, claim)
  if (claim.kind === 'answered') return replay(reply, claim.answer)
  const { claimId } = claim
  const settle = (answer: StoredAnswer): Promise<void> =>
    settleQuietly(context, { accountId: caller.accountId, claimId }, answer)
  try {
    const json = await work({ ...caller, claim: { id: claimId, success } })
    if (isRefusal(json)) {
      await settle({ status: json.status, body: JSON.stringify(toProblem(json)) })
      return sendRefusal(reply, json)
    }
    if (!isSecret) await settle({ status: success, body: json })
    return sendJson(reply.code(success), json)
  } catch (error) {
    await settle({ status: 500, body: '' })
    throw error
  }
}

const replay = (reply: FastifyReply, { status, body }: StoredAnswer): FastifyReply => {
  reply.code(status).header('idempotency-replayed', 'true')
  if (status < 400) return sendJson(reply, body)
  return reply
    .header('content-type', 'application/problem+json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(body)
}

/** The work is done, so the client gets the answer even if it cannot be stored. */
const settleQuietly = async (
  context: ClaimContext,
  claim: { accountId: string; claimId: string },
  answer: StoredAnswer,
): Promise<void> => {
  try {
    await settleClaim(context, claim, answer)
  } catch (error) {
    context.log.warn({ err: error }, 'the answer for an Idempotency-Key cannot be stored')
  }
}
