import type { Check } from '@probe-mesh/contracts/check/check'
import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { CheckRecord } from '../records/check/check-record.ts'
import { findCheck } from '../records/check/checks-store.ts'
import type { Writer } from '../accounts/operations/context.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { refuseConfig, refuseHttpTarget } from './refuse-config.ts'
import { resolveRegions } from './check-regions.ts'
import { targetRuleOf } from '@probe-mesh/contracts/target/private-targets'
import { saveNewCheck, type SavingContext } from './create-check.ts'
import type { Drafting, NewCheck } from './draft-check.ts'
import { refuseNewer } from './revise-check.ts'

/**
 * Creates a running check with the settings, tags, parents, notes and status rule of another one, by the rules of a creation. A heartbeat gets
 * a ping address of its own, and no slug. Refusals: no such check SV-3001, a check that a newer version wrote SV-3002, and
 * those of a creation (S-229).
 */
export const cloneCheck = async (
  context: SavingContext,
  writer: Writer,
  { checkId }: { checkId: string },
): Promise<Check | Refusal> => {
  const { accountId } = writer
  const check = await inAccount(context.sql, accountId, (tx) => findCheck(tx, accountId, checkId))
  if (check === null) return refuse('SV-3001')
  const draft = draftClone(check, { rules: context.rules, accountId })
  return isRefusal(draft) ? draft : saveNewCheck(context, writer, draft, { copyOf: checkId })
}

/** A copy of a check, before the limits of its account are applied. */
const draftClone = (check: CheckRecord, { rules, accountId }: Drafting): NewCheck | Refusal => {
  const { config } = check
  if (config.type === 'unknown') return refuseNewer(check) ?? refuse('SV-3002')
  const placed = placeOf(check, rules.regions)
  if (isRefusal(placed)) return placed
  const targetAllow = targetRuleOf(placed.regions, rules.targetAllow.ofAccount(accountId))
  const unsafe = refuseTarget(check, config, { targetAllow })
  if (unsafe !== null) return unsafe
  const { url, target, intervalSeconds, tags, assertions, statusRule = null } = check
  return {
    name: copyName(check.name),
    url,
    target,
    intervalSeconds,
    ...placed,
    paused: false,
    tags,
    assertions,
    config: withoutSlug(config),
    statusRule,
  }
}

/** A slug that two heartbeats have takes no pings (S-671): the copy must not silence the job of its original. */
const withoutSlug = (config: CheckConfig): CheckConfig =>
  config.type === 'heartbeat' ? { ...config, settings: { ...config.settings, slug: null } } : config

/** The regions of the copy: a check in all live regions has a copy in all of them. */
const placeOf = (
  { type, regions, allRegions }: CheckRecord,
  live: readonly string[],
): Pick<NewCheck, 'regions' | 'allRegions' | 'private'> | Refusal => {
  if (type === 'heartbeat') return { regions: [], allRegions: false, private: false }
  const resolved = resolveRegions(allRegions ? undefined : regions, live)
  if (!resolved.ok) return refuse('SV-2001', { errors: resolved.problems })
  const { ok: _ok, ...placed } = resolved
  return placed
}

const refuseTarget = (
  { url }: CheckRecord,
  config: CheckConfig,
  rules: Parameters<typeof refuseConfig>[1],
): Refusal | null =>
  config.type === 'http' && url !== null
    ? refuseHttpTarget({ url, config }, rules)
    : refuseConfig(config, rules)

const suffix = ' copy'

/** The name with "copy" added, cut to the longest name and not within a character. */
const copyName = (name: string): string => {
  const kept = name.slice(0, limits.nameCharactersMax - suffix.length)
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}${suffix}`
}
