import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { LoginContext } from './context.ts'
import type { HashingTurn } from './hashing.ts'

/**
 * SV-2001 for a weak new password, with the reason; SV-9002 if too many estimates wait.
 * @param at.path the field with the password
 * @param at.own what others may know about the account
 */
export const refuseWeak = async (
  { estimator }: Pick<LoginContext, 'estimator'>,
  { owner }: HashingTurn,
  password: string,
  { path, own }: { path: string; own: readonly string[] },
): Promise<Refusal | null> => {
  const judged = await estimator.weaknessOf(owner, { password, own })
  if (judged === 'busy') return refuse('SV-9002', { message: busy, retryAfterSeconds: 1 })
  if (judged.weak === null) return null
  return refuse('SV-2001', {
    message: `This password ${judged.weak}`,
    errors: [{ path, message: judged.weak }],
  })
}

const busy = 'Too many passwords are being checked. Retry in 1 s.'
