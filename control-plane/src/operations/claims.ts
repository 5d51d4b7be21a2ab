import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { endClaim, findClaim, insertClaim, updateClaimAnswered } from './idempotency-store.ts'
import type { FoundClaim, StoredAnswer } from './idempotency-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext } from './context.ts'

export type { StoredAnswer }

/** How long a key is remembered (S-2412). */
const keptMs = 24 * 3_600_000
/** A request ends well within this; one that found the claim asks again after as long. */
const retryAfterSeconds = 1
/** An answer above this is not kept: a repeated request is told that it was carried out. */
const answerBytesMax = 64 * 1024
/** Between two looks a claim may be let go of; each time somebody else has got further. */
const looksMax = 3

type ClaimContext = Pick<AccountContext, 'sql' | 'now'>

/** One request, as far as its key decides whether it is the same as another. */
export type ClaimedRequest = {
  accountId: string
  /** 1 to 255 visible ASCII characters */
  key: string
  /** Method and path. */
  route: string
  /** As it was sent. */
  body: string
  /** How long the request may work before it is given up. */
  workMsMax: number
}

export type ClaimOutcome =
  | { kind: 'claimed'; claimId: string }
  | { kind: 'answered'; answer: StoredAnswer }
  | Refusal

/**
 * Claims a key for one request. Of many with the same key one is let through; the others are given
 * its answer once there is one (also a refusal), SV-3002 while it works or where it was carried out
 * and its answer got lost, SV-2001 where the key was sent with another route or body.
 */
export const claimRequest = async (
  { sql, now }: ClaimContext,
  request: ClaimedRequest,
): Promise<ClaimOutcome> => {
  const { accountId, route } = request
  const keyHash = sha256(request.key)
  const bodyHash = sha256(request.body)
  const look = async (): Promise<ClaimOutcome | null> => {
    const nowMs = now()
    const claimId = uuidv7(nowMs)
    const times = { claimedUntilMs: nowMs + request.workMsMax, expiresAtMs: nowMs + keptMs }
    const claim = { id: claimId, accountId, keyHash, route, bodyHash, ...times }
    return inAccount(sql, accountId, async (tx) => {
      if (await insertClaim(tx, claim, nowMs)) return { kind: 'claimed', claimId }
      const found = await findClaim(tx, accountId, keyHash)
      return found === null ? null : judgeClaim(found, { route, bodyHash }, nowMs)
    })
  }
  for (let looks = 0; looks < looksMax; looks++) {
    const outcome = await look()
    if (outcome !== null) return outcome
  }
  return refuse('SV-3002', { message: inFlight, retryAfterSeconds })
}

/** What a request is told that finds its key claimed by another. Pure. */
export const judgeClaim = (
  found: FoundClaim,
  asked: Pick<FoundClaim, 'route' | 'bodyHash'>,
  nowMs: number,
): ClaimOutcome => {
  if (found.route !== asked.route || !sameBytes(found.bodyHash, asked.bodyHash)) {
    return refuse('SV-2001', { errors: [{ path: 'Idempotency-Key', message: otherRequest }] })
  }
  if (found.answer !== null) return { kind: 'answered', answer: found.answer }
  // carried out within its time: the answer is about to be written
  const isLost = found.carriedOut && found.claimedUntilMs <= nowMs
  if (isLost) return refuse('SV-3002', { message: answerLost })
  return refuse('SV-3002', { message: inFlight, retryAfterSeconds })
}

const otherRequest = 'was sent with another request before: every request needs a key of its own'
const inFlight = 'A request with this Idempotency-Key is being worked on. Ask again in a moment.'
const answerLost =
  'The request with this Idempotency-Key was carried out, and its answer is no longer known. Read what it changed; do not send it again.'

/**
 * Ends a claim with the answer of its request. A final answer is kept; after one that may be
 * different next time (429, 5xx) the key may be sent again, unless the write was carried out.
 */
export const settleClaim = (
  { sql, now }: ClaimContext,
  { accountId, claimId }: { accountId: string; claimId: string },
  answer: StoredAnswer,
): Promise<void> =>
  inAccount(sql, accountId, async (tx) => {
    if (isKept(answer)) {
      await updateClaimAnswered(tx, accountId, claimId, answer)
    } else {
      await endClaim(tx, accountId, claimId, now())
    }
  })

/** Whether an answer is the same next time, and of a size to be kept. */
export const isKept = ({ status, body }: StoredAnswer): boolean =>
  status !== 429 && status < 500 && Buffer.byteLength(body) <= answerBytesMax

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  isDeepStrictEqual(Buffer.from(a), Buffer.from(b))
