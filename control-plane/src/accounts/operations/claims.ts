import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import {
  endClaim,
  findClaim,
  insertClaim,
  updateClaimAnswered,
  type FoundClaim,
  type StoredAnswer,
} from './idempotency-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext } from './context.ts'

export type { StoredAnswer }

/** How long a key is stored (S-2412), ms. */
const storedMs = 24 * 3_600_000
/** Most requests end within this time. A repeated request that finds a running one retries after it. */
const retryAfterSeconds = 1
/** A larger answer is not stored: a repeated request gets an error that names the reason. */
const answerBytesMax = 64 * 1024
/** Between two attempts another request may have deleted its claim. */
const attemptsMax = 3

type ClaimContext = Pick<AccountContext, 'sql' | 'now'>

/** The parts of a request that identify it. */
type ClaimedRequest = {
  accountId: string
  /** 1 to 255 visible ASCII characters */
  key: string
  /** Method and path. */
  route: string
  /** Unparsed. */
  body: string
  /** The time limit of the request, ms. */
  workMsMax: number
}

type ClaimOutcome =
  | { kind: 'claimed'; claimId: string }
  | { kind: 'answered'; answer: StoredAnswer }
  | Refusal

/**
 * Claims a key for one request. Only one of several requests with the same key runs. The others get its
 * answer when it is stored (also a refusal), SV-3002 while it runs or if its answer was lost, and SV-2001 if
 * the key was sent with another route or body.
 */
export const claimRequest = async (
  { sql, now }: ClaimContext,
  request: ClaimedRequest,
): Promise<ClaimOutcome> => {
  const { accountId, route } = request
  const keyHash = sha256(request.key)
  const bodyHash = sha256(request.body)
  const attempt = async (): Promise<ClaimOutcome | null> => {
    const nowMs = now()
    const claimId = uuidv7(nowMs)
    const times = { claimedUntilMs: nowMs + request.workMsMax, expiresAtMs: nowMs + storedMs }
    const claim = { id: claimId, accountId, keyHash, route, bodyHash, ...times }
    return inAccount(sql, accountId, async (tx) => {
      if (await insertClaim(tx, claim, nowMs)) return { kind: 'claimed', claimId }
      const found = await findClaim(tx, accountId, keyHash)
      return found === null ? null : judgeClaim(found, { route, bodyHash }, nowMs)
    })
  }
  for (let attempts = 0; attempts < attemptsMax; attempts++) {
    const outcome = await attempt()
    if (outcome !== null) return outcome
  }
  return refuse('SV-3002', { message: inFlight, retryAfterSeconds })
}

/** The outcome for a request whose key is already claimed. */
export const judgeClaim = (
  found: FoundClaim,
  request: Pick<FoundClaim, 'route' | 'bodyHash'>,
  nowMs: number,
): ClaimOutcome => {
  if (found.route !== request.route || !sameBytes(found.bodyHash, request.bodyHash)) {
    return refuse('SV-2001', { errors: [{ path: 'Idempotency-Key', message: otherRequest }] })
  }
  if (found.answer !== null) return { kind: 'answered', answer: found.answer }
  // executed and within its time limit: the answer is about to be stored
  const isLost = found.carriedOut && found.claimedUntilMs <= nowMs
  if (isLost) return refuse('SV-3002', { message: answerLost })
  return refuse('SV-3002', { message: inFlight, retryAfterSeconds })
}

const otherRequest = 'was already used for a different request; use a new key for each request'
const inFlight = `A request with this Idempotency-Key is still running. Retry in ${retryAfterSeconds} s.`
const answerLost =
  'The request with this Idempotency-Key was executed, but its answer is not stored. Do not send it again; read the resource instead.'

/**
 * Ends a claim with the answer of its request. A final answer is stored. After a temporary one (429, 5xx) the
 * key may be used again, unless the write was executed.
 */
export const settleClaim = (
  { sql, now }: ClaimContext,
  { accountId, claimId }: { accountId: string; claimId: string },
  answer: StoredAnswer,
): Promise<void> =>
  inAccount(sql, accountId, async (tx) => {
    if (isStorable(answer)) {
      await updateClaimAnswered(tx, accountId, claimId, answer)
    } else {
      await endClaim(tx, accountId, claimId, now())
    }
  })

/** Whether an answer is final, and small enough to store. */
export const isStorable = ({ status, body }: StoredAnswer): boolean =>
  status !== 429 && status < 500 && Buffer.byteLength(body) <= answerBytesMax

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => isDeepStrictEqual(Buffer.from(a), Buffer.from(b))
