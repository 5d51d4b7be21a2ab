import { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Caller, SaveRules } from '../operations/context.ts'
import { fieldRefusals } from './judge-draft.ts'

/** The codes of what is wrong with a field. Others are about the account. */
const ofInput: ReadonlySet<string> = new Set(['SV-2001', 'SV-2002', 'SV-4002', 'SV-5001'])

/**
 * The refusal of a new http check with the problems of all its fields, also of those that a later rule would refuse:
 * regions that are not live, an unsafe URL, an interval that the plan does not allow. Its code stays. Pure.
 * @param body as it was sent
 */
export const withAllProblems = (
  refusal: Refusal,
  body: unknown,
  { rules, caller }: { rules: SaveRules; caller: Pick<Caller, 'accountId' | 'tier'> },
): Refusal => {
  if (!ofInput.has(refusal.refused)) return refusal
  const account = { id: caller.accountId, tier: caller.tier }
  const found = fieldRefusals({ rules, account }, CreateCheckInput, body, null).flatMap(
    ({ errors }) => errors,
  )
  const known = new Set(refusal.errors.map(({ path }) => path))
  const more = found.filter(({ path }) => !known.has(path))
  if (more.length === 0) return refusal
  const errors = [...refusal.errors, ...more]
  // the message of SV-2001 counts them
  return refusal.refused === 'SV-2001' ? refuse('SV-2001', { errors }) : { ...refusal, errors }
}
