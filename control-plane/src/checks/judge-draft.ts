import type { CheckDraft } from '@probe-mesh/contracts/check/check-plan'
import { UpdateCheckAssertionsInput, toAssertions } from '@probe-mesh/contracts/check/assertions'
import { parseCheckInput } from '@probe-mesh/contracts/check/check-input'
import { judgeCheck, type CheckProblem } from '@probe-mesh/contracts/check/check-rules'
import {
  CreateCheckInput,
  ReplaceCheckInput,
  UpdateCheckInput,
} from '@probe-mesh/contracts/check/create-check-input'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { CheckRecord, CheckWithState } from '../records/check/check-record.ts'
import type { SaveRules, Writer } from '../accounts/operations/context.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { refuseUnknownAgent } from '../agents/refuse-unknown-agent.ts'
import { refuseUnsafe } from '../targets/refuse-unsafe.ts'
import { refuseFastInterval, refuseLongTimeout } from './check-interval.ts'
import { refusePublishing, resolveRegions } from './check-regions.ts'
import { fitDraft } from './create-check.ts'
import { draftHttpCheck, type NewCheck } from './draft-check.ts'
import { draftReplacement } from './replace-check.ts'
import { settleAndStore } from './requests/settle-requests.ts'
import { refuseNewer } from './revise-check.ts'
import { decideUpdate, refuseOtherTypes } from './update-check.ts'

/** What judges a draft: the rules of saving, and the account as the drafts before it left it. */
export type Judging = {
  readonly rules: SaveRules
  readonly account: { readonly id: string; readonly tier: Tier }
  readonly writer: Pick<Writer, 'actor'>
  readonly now: () => number
}

/** All that the write of a draft would be refused with, or the check as it would be; null: deleted. */
export type Judgement = { refusals: readonly Refusal[] } | { after: CheckWithState | null }

const refused = (...refusals: Refusal[]): Judgement => ({ refusals })

/**
 * Judges one draft by the rules of its write. Unlike the write it goes on after a refusal.
 * @param old the check that the draft names, as it is by then
 */
export const judgeDraft = async (
  judging: Judging,
  tx: Transaction,
  draft: CheckDraft,
  old: CheckWithState | null,
): Promise<Judgement> => {
  if (draft.action === 'create') return judgeCreate(judging, tx, draft.check)
  if (old === null) return refused(refuse('SV-3001'))
  switch (draft.action) {
    case 'delete':
      return { after: null }
    case 'replace':
      return judgeReplace(judging, tx, draft.check, old)
    case 'update':
      return judgeUpdate(judging, tx, draft, old)
    default:
      return draft satisfies never
  }
}

const judgeCreate = async (judging: Judging, tx: Transaction, body: unknown): Promise<Judgement> => {
  const refusals = fieldRefusals(judging, CreateCheckInput, body, null)
  if (refusals.length > 0) return refused(...refusals, ...(await unknownAgents(judging, tx, body)))
  const drafted = draftHttpCheck(CreateCheckInput.parse(body), draftingOf(judging))
  return fit(judging, tx, drafted)
}

const judgeReplace = async (
  judging: Judging,
  tx: Transaction,
  body: unknown,
  old: CheckWithState,
): Promise<Judgement> => {
  const other = refuseOtherTypes(old)
  if (other !== null) return refused(other)
  const refusals = fieldRefusals(judging, ReplaceCheckInput, body, old)
  if (refusals.length > 0) return refused(...refusals, ...(await unknownAgents(judging, tx, body)))
  const drafted = draftReplacement(old, ReplaceCheckInput.parse(body), draftingOf(judging))
  const isNowPrivate = !isRefusal(drafted) && drafted.private && !old.private
  const published = isNowPrivate ? await refusePublishing(tx, old.id) : null
  return published === null ? fit(judging, tx, drafted) : refused(published)
}

const judgeUpdate = async (
  { rules, writer, now }: Judging,
  tx: Transaction,
  { check: body, assertions: sent }: Extract<CheckDraft, { action: 'update' }>,
  old: CheckWithState,
): Promise<Judgement> => {
  const refusals: Refusal[] = []
  const note = <T>(found: T | Refusal): T | null => {
    if (!isRefusal(found)) return found
    refusals.push(found)
    return null
  }
  note(refuseNewer(old))
  const input = body === undefined ? null : note(parseCheckInput(UpdateCheckInput, body))
  const change = input === null ? null : note(await decideUpdate(tx, old, input, rules.regions))
  const isOther = sent === undefined ? null : refuseOtherTypes(old)
  // of another type, both requests have the same refusal
  if (isOther !== null && !refusals.some((found) => found.refused === isOther.refused)) refusals.push(isOther)
  const fields =
    sent === undefined || isOther !== null ? null : note(parseCheckInput(UpdateCheckAssertionsInput, sent))
  if (refusals.length > 0) return { refusals }
  const after = { ...old, ...change, ...(fields !== null && { assertions: toAssertions(fields) }) }
  if (after.config.type === 'unknown') return { after }
  const config = await settleAndStore({ now }, writer, tx, { ...after, config: after.config, before: old })
  return isRefusal(config) ? refused(config) : { after: { ...after, config } }
}

const draftingOf = ({ rules, account }: Judging) => ({ rules, accountId: account.id })

const fit = async (judging: Judging, tx: Transaction, drafted: NewCheck | Refusal): Promise<Judgement> => {
  const check = isRefusal(drafted) ? drafted : await fitDraft(judging, tx, judging.account, drafted)
  return isRefusal(check) ? refused(check) : { after: check }
}

/**
 * The refusals of the fields of a body, one for each code, each with every problem. Fields that are wrong in themselves
 * are judged no further.
 */
export const fieldRefusals = (
  { rules, account }: Pick<Judging, 'rules' | 'account'>,
  schema: typeof CreateCheckInput | typeof ReplaceCheckInput,
  body: unknown,
  old: CheckRecord | null,
): Refusal[] => {
  const { problems } = judgeCheck(schema, body, rules.targetAllow.ofAccount(account.id))
  const sound = soundFields(body, problems)
  const regions = regionProblems(sound['regions'], rules.regions)
  const { intervalSeconds, timeoutSeconds } = sound
  const limits = rules.tiers[account.tier]
  const named = typeof intervalSeconds === 'number' ? intervalSeconds : null
  const every = named ?? old?.intervalSeconds ?? limits.intervalSecondsMin
  const invalid = problems.filter(({ code }) => code !== 'SV-5001')
  const timeout = typeof timeoutSeconds === 'number' ? { timeoutSeconds } : {}
  const tooLong = refuseLongTimeout({ type: 'http', ...timeout }, every)
  const errors = [...invalid, ...regions, ...(tooLong?.errors ?? [])].map(({ path, message }) => ({
    path,
    message,
  }))
  const isGrammar = invalid.some(({ code }) => code === 'SV-2002')
  const unsafe = problems.filter(({ code }) => code === 'SV-5001')
  return [
    ...(errors.length > 0 ? [refuse(isGrammar ? 'SV-2002' : 'SV-2001', { errors })] : []),
    refuseUnsafe(unsafe),
    named === null ? null : refuseFastInterval(account, limits, named),
  ].filter((found) => found !== null)
}

/** SV-3001 for a private agent that the account does not have, in a body with other problems. */
const unknownAgents = async (
  { rules, account }: Judging,
  tx: Transaction,
  body: unknown,
): Promise<Refusal[]> => {
  const { regions } = Object(body) as { regions?: unknown }
  const areTexts = Array.isArray(regions) && regions.every((region) => typeof region === 'string')
  const resolved = areTexts ? resolveRegions(regions, rules.regions) : null
  const unknown = resolved?.ok === true ? await refuseUnknownAgent(tx, account.id, resolved.regions) : null
  return unknown === null ? [] : [unknown]
}

const soundFields = (body: unknown, problems: readonly CheckProblem[]): Record<string, unknown> => {
  const wrong = new Set(problems.map(({ parts }) => parts[0]))
  return Object.fromEntries(Object.entries(Object(body)).filter(([field]) => !wrong.has(field)))
}

/** The problems of regions that are not live; none if they are no list. */
export const regionProblems = (regions: unknown, live: readonly Region[]) => {
  if (!Array.isArray(regions)) return []
  const resolved = resolveRegions(regions, live)
  return resolved.ok ? [] : resolved.problems
}
