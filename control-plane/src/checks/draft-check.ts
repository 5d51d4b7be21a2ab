import { noAssertions, toAssertions } from '@probe-mesh/contracts/check/assertions'
import {
  CreateHttpCheckInput,
  CreateTypedCheckInput,
  parseCheckInput,
  toCheckConfig,
} from '@probe-mesh/contracts/check/check-input'
import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import type { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { typeOf } from '@probe-mesh/contracts/check/types-with-settings'
import { refuseStatusRule, storedStatusRule } from './status-rule.ts'
import { agentBoundProblem, resolveRegions } from './check-regions.ts'
import { targetRuleOf } from '@probe-mesh/contracts/target/private-targets'
import { heartbeatIntervalSeconds } from './check-interval.ts'
import type { SaveRules } from '../accounts/operations/context.ts'
import { refuseConfig, refuseHttpTarget } from './refuse-config.ts'
import { type CheckRecord, type StoredConfig } from '../records/check/check-record.ts'

/** A valid check, before the limits of its account are applied. */
export type NewCheck = Pick<
  CheckRecord,
  | 'name'
  | 'url'
  | 'target'
  | 'regions'
  | 'allRegions'
  | 'private'
  | 'paused'
  | 'pausedUntilMs'
  | 'tags'
  | 'assertions'
  | 'statusRule'
> & {
  config: CheckConfig
  /** Seconds; absent: the fastest that the plan and the type allow. */
  intervalSeconds: number | undefined
}

/** The rules for a draft, and its account. */
export type Drafting = {
  readonly rules: Pick<SaveRules, 'regions' | 'targetAllow'>
  readonly accountId: string
}

/**
 * A valid http check, before the limits of its account are applied. Refusals, in this order: regions that are
 * not live SV-2001, unsafe target SV-5001.
 */
export const draftHttpCheck = (
  body: CreateCheckInput | CreateHttpCheckInput,
  { rules, accountId }: Drafting,
): NewCheck | Refusal => {
  const resolved = resolveRegions(body.regions, rules.regions)
  if (!resolved.ok) return refuse('SV-2001', { errors: resolved.problems })
  const targetAllow = targetRuleOf(resolved.regions, rules.targetAllow.ofAccount(accountId))
  const config = httpConfig(body)
  const unsafe = refuseHttpTarget({ url: body.url, config }, { targetAllow })
  if (unsafe !== null) return unsafe
  return {
    name: body.name,
    url: body.url,
    target: null,
    intervalSeconds: body.intervalSeconds,
    regions: resolved.regions,
    allRegions: resolved.allRegions,
    private: resolved.private,
    paused: false,
    tags: body.tags ?? [],
    assertions: toAssertions(body),
    config,
  }
}

/** Defaults are left out, so that saving an unchanged form changes nothing. */
export const httpConfig = (
  input: Pick<CreateHttpCheckInput, 'sendRegion' | 'timeoutSeconds' | 'refusedAs' | 'request'>,
): Extract<CheckConfig, { type: 'http' }> => ({
  type: 'http',
  ...(input.sendRegion === true && { sendRegion: true }),
  ...(input.timeoutSeconds !== undefined && { timeoutSeconds: input.timeoutSeconds }),
  ...(input.refusedAs === 'blocked' && { refusedAs: input.refusedAs }),
  ...(input.request !== undefined && { request: input.request }),
})

/**
 * A valid check of any type, for the dashboard. Refusals as for its type.
 * @param body as it was sent, a `CreateHttpCheckInput` or a `CreateTypedCheckInput`
 */
export const draftAnyCheck = (body: unknown, drafting: Drafting): NewCheck | Refusal => {
  const { type = 'http' } = Object(body) as { type?: unknown }
  if (type !== 'http') return draftTypedCheck(body, drafting)
  const input = parseCheckInput(CreateHttpCheckInput, body)
  if (isRefusal(input)) return input
  const draft = draftHttpCheck(input, drafting)
  if (isRefusal(draft)) return draft
  const { statusRule, paused = false } = input
  const unfit = statusRule === undefined ? null : refuseStatusRule(statusRule, draft)
  return unfit ?? { ...draft, paused, statusRule: storedStatusRule(statusRule) }
}

/**
 * A valid check of any other type. Refusals, in this order, each with every problem: input SV-2001, SV-2002
 * or SV-2003, unsafe target SV-5001, regions that are not live SV-2001.
 * @param body as it was sent, a `CreateTypedCheckInput`
 */
const draftTypedCheck = (body: unknown, { rules, accountId }: Drafting): NewCheck | Refusal => {
  const input = parseCheckInput(CreateTypedCheckInput, body)
  if (isRefusal(input)) return input
  const config = toCheckConfig(input)
  const { regions } = { regions: undefined, ...input }
  const targetAllow = targetRuleOf(regions, rules.targetAllow.ofAccount(accountId))
  const refused = refuseConfig(config, { targetAllow })
  if (refused !== null) return refused
  const schedule = scheduleOf(input, rules.regions)
  if (isRefusal(schedule)) return schedule
  const statusRule = input.type === 'heartbeat' ? undefined : input.statusRule
  const unfit = statusRule === undefined ? null : refuseStatusRule(statusRule, { ...schedule, config })
  if (unfit !== null) return unfit
  return {
    name: input.name,
    ...describeTarget(config),
    ...schedule,
    paused: input.paused ?? false,
    tags: input.tags ?? [],
    assertions: noAssertions,
    config,
    statusRule: storedStatusRule(statusRule),
  }
}

/** Regions and interval. A heartbeat has no regions, even when regions are added to the mesh. */
const scheduleOf = (
  input: CreateTypedCheckInput,
  liveRegions: readonly string[],
): Pick<NewCheck, 'intervalSeconds' | 'regions' | 'allRegions' | 'private'> | Refusal => {
  if (input.type === 'heartbeat') {
    const intervalSeconds = heartbeatIntervalSeconds(input.settings)
    return { intervalSeconds, regions: [], allRegions: false, private: false }
  }
  const resolved = resolveRegions(input.regions, liveRegions)
  if (!resolved.ok) return refuse('SV-2001', { errors: resolved.problems })
  const { ok: _ok, ...placed } = resolved
  const unbound = placed.private ? agentBoundProblem(input.type) : null
  if (unbound !== null) return refuse('SV-2001', { errors: [unbound] })
  return { intervalSeconds: input.intervalSeconds, ...placed }
}

/** The columns `url` and `target` of a check: its target on one line. */
type DescribedTarget = { url: string | null; target: string | null }

/** A journey is described by the URL of its first step. An http check keeps its URL elsewhere. */
export const describeTarget = (config: StoredConfig): DescribedTarget => {
  switch (config.type) {
    case 'multistep':
      return { url: config.steps[0]?.url ?? null, target: null }
    case 'http':
    case 'heartbeat':
    case 'unknown':
      return { url: null, target: null }
    default:
      return { url: null, target: typeOf(config).targetOf(config.settings) }
  }
}
