import {
  editCheckInputs,
  EditHttpCheckInput,
  parseCheckInput,
  ReplaceStepsInput,
} from '@probe-mesh/contracts/check/check-input'
import { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import type { Check } from '@probe-mesh/contracts/check/check'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { targetRuleOf, placeCheck } from './check-regions.ts'
import type { CheckRecord } from '../check-record/check-record.ts'
import { describeTarget } from './draft-check.ts'
import { heartbeatIntervalSeconds, refuseFastInterval, refuseLongTimeout } from './check-interval.ts'
import { findAccount } from '../accounts/accounts-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { SaveRules, Writer } from '../operations/context.ts'
import { refuseConfig } from '../targets/refuse-config.ts'
import { reviseCheck } from './revise-check.ts'
import type { CheckChange, RevisingContext } from './revise-check.ts'
import { httpConfigChange } from './update-check.ts'
import { toStep } from '@probe-mesh/contracts/check/step'

/**
 * Edits a check of any type; of an http check only the region header, the timeout and the meaning of a
 * refusal. Absent fields stay, settings are replaced as a whole, steps by `replaceSteps`. Refusals, in this
 * order, each with every problem: no such check SV-3001, input SV-2001, unsafe target SV-5001, regions
 * (`placeCheck`), interval SV-4002.
 * @param input.body as it was sent, one of `editCheckInputs`
 */
export const editTypedCheck = (
  context: RevisingContext & { readonly rules: SaveRules },
  writer: Writer,
  input: { checkId: string; body: unknown },
): Promise<Check | Refusal> =>
  reviseCheck(context, writer, 'editCheck', input.checkId, async (check, tx) => {
    const { config } = check
    if (config.type === 'unknown') return {}
    if (config.type === 'http') return httpChange(check, input.body)
    const change = parseCheckInput(editCheckInputs[config.type], input.body)
    if (isRefusal(change)) return change
    const changed = await changeOf(tx, check, change, context.rules)
    if (isRefusal(changed)) return changed
    const tooFast = await refuseInterval(tx, check, changed, context.rules)
    if (tooFast !== null) return tooFast
    const next = { ...check, ...changed }
    return refuseLongTimeout(next.config, next.intervalSeconds) ?? changed
  })

const httpChange = (check: CheckRecord, body: unknown): CheckChange | Refusal => {
  const others = Object.keys(Object(body)).filter((name) => !(name in EditHttpCheckInput.shape))
  if (others.length > 0) return refuse('SV-2001', { message: httpIsEditedOverRest })
  const edit = parseCheckInput(EditHttpCheckInput, body)
  return isRefusal(edit) ? edit : httpConfigChange(check, edit)
}

const httpIsEditedOverRest = 'This is an http check: edit it through the REST API.'

/** The fields of all edits together. */
type EditFields = {
  name?: string | undefined
  paused?: boolean | undefined
  intervalSeconds?: number | undefined
  regions?: readonly Region[] | undefined
  settings?: unknown
  sendRegion?: boolean | undefined
  timeoutSeconds?: number | null | undefined
}

const changeOf = async (
  tx: Transaction,
  check: CheckRecord,
  edit: EditFields,
  rules: SaveRules,
): Promise<CheckChange | Refusal> => {
  const { name = check.name, paused = check.paused } = edit
  const { intervalSeconds = check.intervalSeconds } = edit
  const { regions = check.regions } = edit
  const targetAllow = targetRuleOf(regions, rules.targetAllow.ofAccount(check.accountId))
  const settled = settingsChange(check, edit, { targetAllow })
  if (isRefusal(settled)) return settled
  const placed = edit.regions === undefined ? {} : await placeCheck(tx, check, edit.regions, rules.regions)
  if (isRefusal(placed)) return placed
  const sending = edit.sendRegion === undefined ? {} : sendRegionChange(check, edit.sendRegion)
  return { name, paused, intervalSeconds, ...placed, ...settled, ...sending }
}

const sendRegionChange = ({ config }: CheckRecord, sendRegion: boolean): CheckChange => {
  if (config.type !== 'multistep') return {}
  return { config: { type: config.type, steps: config.steps, ...(sendRegion && { sendRegion }) } }
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
