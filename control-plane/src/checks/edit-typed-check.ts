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
import {
  heartbeatIntervalSeconds,
  refuseFastInterval,
  refuseLongTimeout,
} from './check-interval.ts'
import { findAccount } from '../accounts/accounts-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { SaveRules, Writer } from '../operations/context.ts'
import { refuseConfig } from '../targets/refuse-config.ts'
import { reviseCheck } from './revise-check.ts'
import type { CheckChange, RevisingContext } from './revise-check.ts'
import { judgingChange } from './update-check.ts'
import { toStep } from '@probe-mesh/contracts/check/step'

/**
 * Edits a check of any type, of http only what it sends and how long it waits, and what a refusal means: what is absent stays, settings are replaced as a whole, steps
 * by `replaceSteps`. Refused in this order, each with every problem: no such check SV-3001, the
 * input SV-2001, an unsafe target SV-5001, where it is measured from (`placeCheck`), the interval SV-4002.
 * @param input.body as it was sent, of `editCheckInputs`
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
  const said = Object.keys(Object(body)).filter((name) => !(name in EditHttpCheckInput.shape))
  if (said.length > 0) return refuse('SV-2001', { message: editHttpOverRest })
  const asked = parseCheckInput(EditHttpCheckInput, body)
  return isRefusal(asked) ? asked : judgingChange(check, asked)
}

const editHttpOverRest = 'This is an http check: edit it through the REST API.'

/** What any of the edits may ask for. */
type Asked = {
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
  asked: Asked,
  rules: SaveRules,
): Promise<CheckChange | Refusal> => {
  const { name = check.name, paused = check.paused } = asked
  const { intervalSeconds = check.intervalSeconds } = asked
  const { regions = check.regions } = asked
  const targetAllow = targetRuleOf(regions, rules.targetAllow.ofAccount(check.accountId))
  const settled = settingsChange(check, asked, { targetAllow })
  if (isRefusal(settled)) return settled
  const placed =
    asked.regions === undefined ? {} : await placeCheck(tx, check, asked.regions, rules.regions)
  if (isRefusal(placed)) return placed
  const told = asked.sendRegion === undefined ? {} : toldRegion(check, asked.sendRegion)
  return { name, paused, intervalSeconds, ...placed, ...settled, ...told }
}

const toldRegion = ({ config }: CheckRecord, sendRegion: boolean): CheckChange => {
  if (config.type !== 'multistep') return {}
  return { config: { type: config.type, steps: config.steps, ...sent(sendRegion) } }
}

/** What is off is absent, so that a form that is saved unchanged changes nothing. */
const sent = (sendRegion: boolean): { sendRegion?: true } => (sendRegion ? { sendRegion } : {})

const settingsChange = (
  { type, config: held }: CheckRecord,
  { settings, timeoutSeconds }: Asked,
  rules: Pick<SaveRules, 'targetAllow'>,
): CheckChange | Refusal => {
  if (!('settings' in held) || (settings === undefined && timeoutSeconds === undefined)) return {}
  const kept = 'timeoutSeconds' in held ? held.timeoutSeconds : undefined
  const timeout = timeoutSeconds === undefined ? kept : (timeoutSeconds ?? undefined)
  const config = CheckConfig.parse({
    type,
    settings: settings ?? held.settings,
    ...(timeout !== undefined && { timeoutSeconds: timeout }),
  })
  const refused = refuseConfig(config, rules)
  if (refused !== null) return refused
  const described = { config, ...describeTarget(config) }
  return config.type === 'heartbeat'
    ? { ...described, intervalSeconds: heartbeatIntervalSeconds(config.settings) }
    : described
}

/** An interval that stays is not held against a tier that has changed: what runs goes on. */
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
 * Replaces the whole list of a journey's steps (S-414). Refused in this order, each with every problem: the
 * input SV-2001, SV-2002 or SV-2003, an unsafe target SV-5001, no such check SV-3001, a check of another type
 * SV-2001.
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
      : refuse('SV-2001', { message: `This is a ${check.type} check: it has no steps.` }),
  )
}
