import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { assertionNames } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'
import { timeoutProblem } from '@probe-mesh/contracts/check/check-timeout'
import type { CreateCheckInput, ReplaceCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount } from '../accounts/accounts-store.ts'
import { moveReferences } from '../records/check/check-references-store.ts'
import type { CheckRecord, CheckWithState } from '../records/check/check-record.ts'
import { findCheck, lockCheck, notifyCheckChanged } from '../records/check/checks-store.ts'
import { deleteChecksForGood, findReplacement, markReplaced } from '../records/check/deleted-checks-store.ts'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { write, type WriteName } from '../accounts/operations/write.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { refuseBusyTarget } from '../targets/refuse-busy-target.ts'
import { refusePublishing } from './check-regions.ts'
import { fitDraft, insertNewCheck, type SavingContext } from './create-check.ts'
import { describeCheck } from './describe-check.ts'
import { draftHttpCheck, type Drafting, type NewCheck } from './draft-check.ts'
import { refuseOtherTypes } from './update-check.ts'

/**
 * Replaces an http check by a new one in one transaction: the new check and the end of the old one, or neither. The
 * new check has a new id and no history; what refers to the old one refers to it (S-218). The same request again is
 * answered with the same check. Refusals, in this order: no such check SV-3001, replaced with another body SV-3002,
 * another type SV-3005, then those of a creation but for the number of checks, and SV-3002 for a private agent on a
 * page.
 */
export const replaceCheck = async (
  context: ReplacingContext,
  writer: Caller,
  { params, body }: RouteInput<'replaceCheck'>,
): Promise<Check | Refusal> => {
  const { id } = params
  const inputHash = createHash('sha256').update(JSON.stringify(body)).digest()
  const name: WriteName<Replaced> = {
    action: 'replaceCheck',
    resourceType: 'check',
    resourceId: ({ check, isNew }) => (isNew ? [id, check.id] : null),
    answer: ({ check }) => describeCheck(check, context.now()),
  }
  const replaced = await write(context, writer, name, async (tx): Promise<Replaced | Refusal> => {
    const account = await lockAccount(tx, writer.accountId)
    if (account === null) return refuse('SV-1002')
    const old = await lockCheck(tx, account.id, id)
    if (old === null) return findReplaced(tx, { accountId: account.id, checkId: id, inputHash })
    const draft = draftReplacement(old, body, { rules: context.rules, accountId: account.id })
    if (isRefusal(draft)) return draft
    const check = await fitDraft({ ...context, writer }, tx, account, draft)
    if (isRefusal(check)) return check
    const published = check.private && !old.private ? await refusePublishing(tx, id) : null
    if (published !== null) return published
    // by its old id, so that the requests of the old check are not counted besides
    const busy = await refuseBusyTarget(tx, { ...check, id }, old, context)
    if (busy !== null) return busy
    await insertNewCheck(tx, check)
    await moveReferences(tx, { accountId: account.id, from: id, to: check.id })
    await deleteChecksForGood(tx, { accountId: account.id, checkIds: [id] }, context.now())
    await markReplaced(tx, id, { byId: check.id, inputHash })
    await notifyCheckChanged(tx, id)
    return { check, isNew: true }
  })
  if (isRefusal(replaced)) return replaced
  context.answers.drop(id)
  context.uptimes.drop(id)
  if (replaced.isNew) context.runs.start(replaced.check)
  return describeCheck(replaced.check, context.now())
}

type ReplacingContext = SavingContext & Pick<AccountContext, 'answers' | 'uptimes'>

/** `isNew` false: an earlier request with the same body replaced it. */
type Replaced = { check: CheckWithState; isNew: boolean }

/** The answer about a check that is gone: the check that this very request created before, or a refusal. */
const findReplaced = async (
  tx: Transaction,
  { accountId, checkId, inputHash }: { accountId: string; checkId: string; inputHash: Uint8Array },
): Promise<Replaced | Refusal> => {
  const before = await findReplacement(tx, { accountId, checkId })
  const check = before === null ? null : await findCheck(tx, accountId, before.byId)
  if (before === null || check === null) return refuse('SV-3001')
  if (isDeepStrictEqual(Buffer.from(before.inputHash), Buffer.from(inputHash))) return { check, isNew: false }
  return refuse('SV-3002', {
    message: `This check was already replaced, with other values, by the check ${check.id}. Change that one.`,
  })
}

/** The new check, with all that the input leaves out from the old one. Refusals as `draftHttpCheck`. */
export const draftReplacement = (
  old: CheckRecord,
  input: ReplaceCheckInput,
  drafting: Drafting,
): NewCheck | Refusal => {
  const { config, url } = old
  const other = refuseOtherTypes(old)
  if (other !== null || config.type !== 'http' || url === null) return other ?? refuse('SV-3005')
  const intervalSeconds = input.intervalSeconds ?? old.intervalSeconds
  const assertions = assertionNames.some((name) => input[name] !== undefined) ? input : old.assertions
  const timeoutSeconds = replacedTimeout(input.timeoutSeconds, config.timeoutSeconds, intervalSeconds)
  const full: CreateCheckInput = {
    name: input.name ?? old.name,
    url: input.url ?? url,
    intervalSeconds,
    regions: input.regions ?? (old.allRegions ? undefined : [...old.regions]),
    sendRegion: input.sendRegion ?? config.sendRegion,
    refusedAs: input.refusedAs ?? config.refusedAs,
    timeoutSeconds,
    tags: input.tags ?? [...old.tags],
    ...Object.fromEntries(assertionNames.map((name) => [name, assertions[name]])),
  }
  // a file and Terraform cannot say it, so it stays
  const { request } = config
  const draft = draftHttpCheck(request === undefined ? full : { ...full, request }, drafting)
  if (isRefusal(draft)) return draft
  const paused = input.paused ?? old.paused
  const { statusRule = null } = old
  return { ...draft, statusRule, paused, pausedUntilMs: paused ? (old.pausedUntilMs ?? null) : null }
}

/** A timeout that the input does not name stays, unless the new interval has no room for it. */
const replacedTimeout = (
  named: number | null | undefined,
  old: number | undefined,
  intervalSeconds: number,
): number | undefined => {
  if (named !== undefined) return named ?? undefined
  return timeoutProblem(old, intervalSeconds) === null ? old : undefined
}
