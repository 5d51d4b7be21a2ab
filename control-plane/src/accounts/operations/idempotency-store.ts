import type { Connection, Transaction } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

/** A request's claim on its `Idempotency-Key`. */
export type Claim = {
  id: string
  accountId: string
  /** sha-256 of the key */
  keyHash: Uint8Array
  /** Method and path. */
  route: string
  /** sha-256 of the body */
  bodyHash: Uint8Array
  claimedUntilMs: number
  expiresAtMs: number
}

export type StoredAnswer = { status: number; body: string }

/** A claim, as found by another request. */
export type FoundClaim = {
  route: string
  bodyHash: Uint8Array
  carriedOut: boolean
  claimedUntilMs: number
  answer: StoredAnswer | null
}

/**
 * Inserts a claim if there is none, if it has expired, or if the same request did not execute within its time
 * limit. Then the former request can no longer write.
 * @returns whether the claim was inserted
 */
export const insertClaim = async (tx: Transaction, claim: Claim, nowMs: number): Promise<boolean> => {
  const now = new Date(nowMs)
  const rows = await tx`
    insert into idempotency_keys as old (id, account_id, key_hash, route, body_hash, claimed_until,
      expires_at)
    values (${claim.id}, ${claim.accountId}, ${claim.keyHash}, ${claim.route}, ${claim.bodyHash},
      ${new Date(claim.claimedUntilMs)}, ${new Date(claim.expiresAtMs)})
    on conflict (account_id, key_hash) do update set
      id = excluded.id, route = excluded.route, body_hash = excluded.body_hash,
      claimed_until = excluded.claimed_until, carried_out = false, status = null, body = null,
      expires_at = excluded.expires_at
    where old.expires_at <= ${now}
      or (old.route = excluded.route and old.body_hash = excluded.body_hash
        and not old.carried_out and old.status is null and old.claimed_until <= ${now})
    returning id`
  return rows.length > 0
}

export const findClaim = async (
  tx: Transaction,
  accountId: string,
  keyHash: Uint8Array,
): Promise<FoundClaim | null> => {
  const [row] = await tx<(Omit<FoundClaim, 'answer'> & { status: number | null; body: string | null })[]>`
    select route, body_hash as "bodyHash", carried_out as "carriedOut",
      ${epochMs(tx, 'claimed_until')} as "claimedUntilMs", status, body
    from idempotency_keys where account_id = ${accountId} and key_hash = ${keyHash}`
  if (row === undefined) return null
  const { status, body, ...claim } = row
  return { ...claim, answer: status === null || body === null ? null : { status, body } }
}

/**
 * Marks a claim as executed, with its answer, in the transaction of the write.
 * @param answer null if it is unknown yet, or too large to store
 * @returns false if another request replaced the claim: then nothing must be written
 */
export const markCarriedOut = async (
  tx: Transaction,
  { accountId, claimId }: { accountId: string; claimId: string },
  answer: StoredAnswer | null,
): Promise<boolean> => {
  const rows = await tx`
    update idempotency_keys set carried_out = true, status = ${answer?.status ?? null},
      body = ${answer?.body ?? null}
    where account_id = ${accountId} and id = ${claimId} returning id`
  return rows.length > 0
}

/** Stores the answer of a claim, unless another request replaced the claim. */
export const updateClaimAnswered = async (
  tx: Transaction,
  accountId: string,
  claimId: string,
  answer: StoredAnswer,
): Promise<void> => {
  await tx`
    update idempotency_keys set status = ${answer.status}, body = ${answer.body}
    where account_id = ${accountId} and id = ${claimId}`
}

/**
 * Ends a claim without an answer. If its request was not executed, the claim is deleted and the key may be
 * used again. Otherwise the claim is marked as no longer running.
 */
export const endClaim = async (
  tx: Transaction,
  accountId: string,
  claimId: string,
  nowMs: number,
): Promise<void> => {
  await tx`
    delete from idempotency_keys
    where account_id = ${accountId} and id = ${claimId} and not carried_out`
  await tx`
    update idempotency_keys set claimed_until = ${new Date(nowMs)}
    where account_id = ${accountId} and id = ${claimId}`
}

/** Deletes expired keys. @returns how many */
export const pruneClaims = async (db: Connection, nowMs: number, limit: number): Promise<number> => {
  const { count } = await db`
    delete from idempotency_keys where id in (
      select id from idempotency_keys where expires_at <= ${new Date(nowMs)} limit ${limit})`
  return count
}
