import { TimeoutSeconds } from '@probe-mesh/contracts/check/check-timeout'
import { CreateCheckInput, RegionList } from '@probe-mesh/contracts/check/create-check-input'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findCheck } from '../records/check/checks-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller, SaveRules } from '../accounts/operations/context.ts'
import { refuseLongTimeout } from './check-interval.ts'
import { fieldRefusals, regionProblems } from './judge-draft.ts'

/** The codes of what is wrong with a field. Others are about the account. */
const ofInput: ReadonlySet<string> = new Set(['SV-2001', 'SV-2002', 'SV-4002', 'SV-5001'])

/**
 * The refusal of a new http check with the problems of all its fields, also of those that a later rule would refuse:
 * regions that are not live, an unsafe URL, an interval that the plan does not allow. Its code stays.
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
  return withMore(refusal, found)
}

/**
 * The refusal of a `PATCH /checks/:id` with the problems of its other fields: regions that are not live, and a timeout
 * that does not fit into the interval of the check.
 * @param input as it was sent
 */
export const withAllChangeProblems = async (
  { sql, rules }: Pick<AccountContext, 'sql'> & { rules: Pick<SaveRules, 'regions'> },
  refusal: Refusal,
  { accountId }: Pick<Caller, 'accountId'>,
  { id, body }: { id: unknown; body: unknown },
): Promise<Refusal> => {
  const checkId = Uuid.safeParse(id)
  if (refusal.refused !== 'SV-2001' || !checkId.success) return refusal
  const { regions, timeoutSeconds } = Object(body) as { regions?: unknown; timeoutSeconds?: unknown }
  const timeout = TimeoutSeconds.safeParse(timeoutSeconds)
  const check = timeout.success
    ? await inAccount(sql, accountId, (tx) => findCheck(tx, accountId, checkId.data))
    : null
  const tooLong =
    timeout.success && check?.type === 'http'
      ? refuseLongTimeout({ type: 'http', timeoutSeconds: timeout.data }, check.intervalSeconds)
      : null
  const named = RegionList.safeParse(regions)
  return withMore(refusal, [
    ...(named.success ? regionProblems(named.data, rules.regions) : []),
    ...(tooLong?.errors ?? []),
  ])
}

/** A refusal with these problems too, except those of a field that it names. */
const withMore = (refusal: Refusal, found: readonly FieldProblem[]): Refusal => {
  const known = new Set(refusal.errors.map(({ path }) => path))
  const more = found.filter(({ path }) => !known.has(path))
  if (more.length === 0) return refusal
  const errors = [...refusal.errors, ...more]
  // the message of SV-2001 counts them
  return refusal.refused === 'SV-2001' ? refuse('SV-2001', { errors }) : { ...refusal, errors }
}
