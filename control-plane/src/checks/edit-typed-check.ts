import {
  editCheckInputs,
  EditHttpCheckInput,
  parseCheckInput,
  ReplaceStepsInput,
} from '@probe-mesh/contracts/check/check-input'
import { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { CheckNotesChange } from '@probe-mesh/contracts/check/check-notes'
import type { StatusRule } from '@probe-mesh/contracts/check/status-rule'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { placeCheck } from './check-regions.ts'
import { targetRuleOf } from '@probe-mesh/contracts/target/private-targets'
import type { CheckRecord } from '../records/check/check-record.ts'
import { describeTarget } from './draft-check.ts'
import { heartbeatIntervalSeconds, refuseFastInterval, refuseLongTimeout } from './check-interval.ts'
import { findAccount } from '../accounts/accounts-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { SaveRules, Writer } from '../accounts/operations/context.ts'
import { refuseConfig, refuseHttpTarget } from './refuse-config.ts'
import { toAssertions } from '@probe-mesh/contracts/check/assertions'
import { actionOf, reviseCheck, type CheckChange, type RevisingContext } from './revise-check.ts'
import { httpConfigChange } from './update-check.ts'
import { toStep, type StepsInput } from '@probe-mesh/contracts/check/step'

/**
 * Edits a check of any type; its id and its history stay. Absent fields stay, settings and assertions are
 * replaced as a whole, steps by `replaceSteps`. Refusals, in this order, each with every problem: no such check
 * SV-3001, input SV-2001 or SV-2002, unsafe target SV-5001, regions (`placeCheck`), interval SV-4002, parents and
 * owner (`changeParents`, `changeNotes`).
 * @param input.body as it was sent, one of `editCheckInputs` or an `EditHttpCheckInput`
 */
export const editTypedCheck = (
  context: RevisingContext & { readonly rules: SaveRules },
  writer: Writer,
  input: { checkId: string; body: unknown },
): Promise<Check | Refusal> =>
  reviseCheck(context, writer, actionOf(input.body, 'editCheck'), input.checkId, async (check, tx) => {
    const { config } = check
    if (config.type === 'unknown') return {}
    const changed =
      config.type === 'http'
        ? await httpChange(tx, check, input.body, context.rules)
        : await typedChange(
            tx,
            check,
            parseCheckInput(editCheckInputs[config.type], input.body),
            context.rules,
          )
    if (isRefusal(changed)) return changed
    const tooFast = await refuseInterval(tx, check, changed, context.rules)
    if (tooFast !== null) return tooFast
    const next = { ...check, ...changed }
    return refuseLongTimeout(next.config, next.intervalSeconds) ?? changed
  })

const httpChange = async (
  tx: Transaction,
  check: CheckRecord,
  body: unknown,
  rules: SaveRules,
): Promise<CheckChange | Refusal> => {
  const edit = parseCheckInput(EditHttpCheckInput, body)
  if (isRefusal(edit)) return edit
  const { url = check.url, regions = check.regions } = edit
  const targetAllow = targetRuleOf(regions, rules.targetAllow.ofAccount(check.accountId))
  const { intervalSeconds = check.intervalSeconds } = edit
  const configured = httpConfigChange({ config: check.config, intervalSeconds }, edit)
  if (isRefusal(configured)) return configured
  // an unchanged target is not refused, even if the rules have changed: existing checks keep running
  const changedUrl = url === check.url ? null : url
  const connectTo = connectToOf(configured.config ?? check.config)
  const isNew = connectTo !== undefined && connectTo !== connectToOf(check.config)
  const connected = { type: 'http' as const, ...(isNew && { request: { connectTo } }) }
  const unsafe = refuseHttpTarget({ url: changedUrl, config: connected }, { targetAllow })
  if (unsafe !== null) return unsafe
  const placed = await placeEdited(tx, check, edit, rules)
  if (isRefusal(placed)) return placed
  const assertions = edit.assertions === undefined ? {} : { assertions: toAssertions(edit.assertions) }
  return { ...commonChange(check, edit), url, ...placed, ...configured, ...assertions }
}

/** Where an http check connects instead of the host of its URL. */
const connectToOf = (config: CheckRecord['config']): string | undefined =>
  config.type === 'http' ? config.request?.connectTo : undefined

/** The fields of all edits together. */
type EditFields = CheckNotesChange & {
  name?: string | undefined
  paused?: boolean | undefined
  tags?: readonly string[] | undefined
  parentIds?: readonly string[] | undefined
  statusRule?: StatusRule | undefined
  intervalSeconds?: number | undefined
  regions?: readonly Region[] | undefined
  settings?: unknown
  steps?: StepsInput | undefined
  sendRegion?: boolean | undefined
  timeoutSeconds?: number | null | undefined
}

const commonChange = (check: CheckRecord, edit: EditFields): CheckChange => {
  const { name = check.name, paused = check.paused, tags = check.tags } = edit
  const { intervalSeconds = check.intervalSeconds } = edit
  const { parentIds, statusRule, runbookUrl, notes, ownerId } = edit
  return { name, paused, tags, intervalSeconds, parentIds, statusRule, noted: { runbookUrl, notes, ownerId } }
}

const placeEdited = async (
  tx: Transaction,
  check: CheckRecord,
  { regions }: EditFields,
  rules: SaveRules,
): Promise<CheckChange | Refusal> =>
  regions === undefined ? {} : placeCheck(tx, check, regions, rules.regions)

const typedChange = async (
  tx: Transaction,
  check: CheckRecord,
  edit: EditFields | Refusal,
  rules: SaveRules,
): Promise<CheckChange | Refusal> => {
  if (isRefusal(edit)) return edit
  const { regions = check.regions } = edit
  const targetAllow = targetRuleOf(regions, rules.targetAllow.ofAccount(check.accountId))
  const settled = settingsChange(check, edit, { targetAllow })
  if (isRefusal(settled)) return settled
  const placed = await placeEdited(tx, check, edit, rules)
  if (isRefusal(placed)) return placed
  const journey = journeyChange(check, edit, { targetAllow })
  if (isRefusal(journey)) return journey
  return { ...commonChange(check, edit), ...placed, ...settled, ...journey }
}

/** The steps and the region header of a journey. */
const journeyChange = (
  { config }: CheckRecord,
  { steps, sendRegion }: EditFields,
  rules: Pick<SaveRules, 'targetAllow'>,
): CheckChange | Refusal => {
  if (config.type !== 'multistep' || (steps === undefined && sendRegion === undefined)) return {}
  const { sendRegion: _sendRegion, ...former } = config
  const isSending = sendRegion ?? config.sendRegion ?? false
  const next = {
    ...former,
    ...(steps !== undefined && { steps: steps.map(toStep) }),
    ...(isSending && { sendRegion: true }),
  }
  const refused = steps === undefined ? null : refuseConfig(next, rules)
  return refused ?? { config: next, ...describeTarget(next) }
}

const settingsChange = (
  { type, config: current }: CheckRecord,
  { settings, timeoutSeconds }: EditFields,
  rules: Pick<SaveRules, 'targetAllow'>,
): CheckChange | Refusal => {
  if (!('settings' in current) || (settings === undefined && timeoutSeconds === undefined)) return {}
  const former = 'timeoutSeconds' in current ? current.timeoutSeconds : undefined
  const timeout = timeoutSeconds === undefined ? former : (timeoutSeconds ?? undefined)
  const config = CheckConfig.parse({
    type,
    settings: settings ?? current.settings,
    ...(timeout !== undefined && { timeoutSeconds: timeout }),
  })
  const refused = refuseConfig(config, rules)
  if (refused !== null) return refused
  const described = { config, ...describeTarget(config) }
  return config.type === 'heartbeat'
    ? { ...described, intervalSeconds: heartbeatIntervalSeconds(config.settings) }
    : described
}

/** An unchanged interval is not refused, even if the plan has changed: existing checks keep running. */
const refuseInterval = async (
  tx: Transaction,
  check: CheckRecord,
  { intervalSeconds }: CheckChange,
  { tiers }: SaveRules,
): Promise<Refusal | null> => {
  if (intervalSeconds === undefined || intervalSeconds === check.intervalSeconds) return null
  if (check.type === 'heartbeat') return null
  const account = await findAccount(tx, check.accountId)
  return account === null
    ? refuse('SV-3001')
    : refuseFastInterval(account, tiers[account.tier], intervalSeconds)
}

/**
 * Replaces all steps of a journey (S-414). Refusals, in this order, each with every problem: input SV-2001,
 * SV-2002 or SV-2003, unsafe target SV-5001, no such check SV-3001, another type SV-2001.
 * @param input.body as it was sent, a `ReplaceStepsInput`
 */
export const replaceSteps = async (
  context: RevisingContext & { readonly rules: Pick<SaveRules, 'targetAllow'> },
  writer: Writer,
  { checkId, body }: { checkId: string; body: unknown },
): Promise<Check | Refusal> => {
  const input = parseCheckInput(ReplaceStepsInput, body)
  if (isRefusal(input)) return input
  const config = { type: 'multistep' as const, steps: input.steps.map(toStep) }
  const refused = refuseConfig(config, {
    targetAllow: context.rules.targetAllow.ofAccount(writer.accountId),
  })
  if (refused !== null) return refused
  return reviseCheck(context, writer, 'replaceSteps', checkId, (check) =>
    check.type === 'multistep'
      ? { config: { ...check.config, ...config }, ...describeTarget(config) }
      : refuse('SV-2001', {
          message: `This is a ${check.type} check. Only multistep checks have steps.`,
        }),
  )
}
