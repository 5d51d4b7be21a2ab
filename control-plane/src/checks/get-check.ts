import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { findCertificates } from './expiry/certificates-store.ts'
import { findCheck } from '../records/check/checks-store.ts'
import { describeUnknownDomain } from './expiry/unknown-domain.ts'
import { findDomains, findDomainWithout } from './expiry/domains-store.ts'
import { findFlips } from '../status/flips-store.ts'
import { findHeartbeat, insertHeartbeat } from '../heartbeats/heartbeats-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findPausedSpans } from '../records/check/check-revisions-store.ts'
import { describeCertificates } from './expiry/certificates.ts'
import type { CheckWithState, StoredConfig } from '../records/check/check-record.ts'
import { statusEvidence } from './status-evidence.ts'
import { uptimeWindowsMs } from '@probe-mesh/contracts/check/uptime-by-age'
import { uptimeOf, type UptimeAt } from '../status/uptime.ts'
import type { AccountContext, Caller, Writer } from '../accounts/operations/context.ts'
import type { CheckContext } from './check-context.ts'
import { withNewest } from '../status/live-states.ts'
import { describeCheckDetail, describeHeartbeatCheck, type HeartbeatEvidence } from './describe-check.ts'
import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { typeOf } from '@probe-mesh/contracts/check/types-with-settings'

/**
 * The settings of a check for an answer; null if only a newer version understands them. Texts that the check sends may
 * contain a password, so a read-only key learns only their length.
 */
const shownConfig = (config: StoredConfig, scope: Caller['scope']): CheckConfig | null => {
  if (config.type === 'unknown') return null
  if (scope === 'read_write') return config
  switch (config.type) {
    case 'multistep':
      return { ...config, steps: config.steps.map((step) => ({ ...step, body: hidden(step.body) })) }
    case 'http': {
      const { request } = config
      if (request?.body === undefined) return config
      return { ...config, request: { ...request, body: hiddenText(request.body) } }
    }
    case 'heartbeat':
      return config
    default: {
      const settings = typeOf(config).hide?.(config.settings, hidden) ?? config.settings
      return { ...config, settings } as CheckConfig
    }
  }
}

const hidden = (text: string | null): string | null => (text === null ? null : hiddenText(text))

const hiddenText = (text: string): string => `(${text.length} characters, hidden from read-only keys)`

const unreadWindows = { day: null, week: null, month: null, quarter: null }
const noUptime: UptimeAt = { uptime: unreadWindows, measuredShare: unreadWindows, atMs: null }

type ReadingContext = Pick<
  CheckContext,
  'sql' | 'freshen' | 'uptimes' | 'heartbeatWatch' | 'rules' | 'now' | 'log'
>

/** One check with its current status, per region and overall. */
export const getCheck = async (
  context: ReadingContext,
  caller: Caller,
  input: RouteInput<'getCheck'>,
): Promise<CheckDetail | Refusal> => {
  const found = await inAccount(context.sql, caller.accountId, async (tx) => {
    const check = await findCheck(tx, caller.accountId, input.params.id)
    if (check === null) return null
    const shown = await findCertificates(tx, [check.id])
    const domain = (await findDomains(tx, [check.id])).get(check.id) ?? null
    // a heartbeat has no target
    const hasNone = domain !== null || check.type === 'heartbeat'
    const without = hasNone ? null : { found: await findDomainWithout(tx, check.id) }
    return { check, shown, domain, without }
  })
  if (found === null) return refuse('SV-3001')
  const { shown, domain, without } = found
  const check = withNewest(found.check, context.freshen)
  const uptime = await uptimeOfCheck(context, check)
  const heartbeat = await heartbeatOf(context, caller, check)
  const { vantage } = context.rules
  const nowMs = context.now()
  const certificates = describeCertificates(shown.get(check.id) ?? [], check, nowMs)
  const about = { isPrivate: check.private, isOff: context.rules.asksRegistries === false }
  const domainUnknown = without && describeUnknownDomain(without.found, about)
  const more = { ...uptime, vantage, ...heartbeat, certificates, domain, domainUnknown }
  return { ...describeCheckDetail(check, more, nowMs), config: shownConfig(check.config, caller.scope) }
}

/** The state and latest run of a heartbeat. A heartbeat without a row gets one here. */
const heartbeatOf = async (
  { sql, rules, now }: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId, scope }: Caller,
  check: CheckWithState,
): Promise<{ heartbeat?: HeartbeatEvidence }> => {
  if (check.config.type !== 'heartbeat') return {}
  const found = await inAccount(sql, accountId, async (tx) => {
    const known = await findHeartbeat(tx, check.id)
    if (known !== null) return known
    await insertHeartbeat(tx, check.id)
    return findHeartbeat(tx, check.id)
  })
  // deleted meanwhile
  if (found === null) return {}
  const { settings } = check.config
  // a ping changes the state of the job, so a read-only key does not get the ping URL
  const mayPing = scope === 'read_write'
  const base = `${rules.publicUrl}/ping`
  const urls = {
    pingUrl: mayPing ? `${base}/${found.pingKey}` : null,
    slugUrl:
      mayPing && typeof settings.slug === 'string'
        ? `${base}/${found.accountPingKey}/${settings.slug}`
        : null,
  }
  return { heartbeat: describeHeartbeatCheck(check, settings, found, urls, now()) }
}

/** Uptime changes slowly and costs a query: it is cached, and an error does not fail the answer. */
const uptimeOfCheck = async (context: ReadingContext, check: CheckWithState): Promise<UptimeAt> =>
  context.uptimes.peek(check.id) ??
  context.uptimes
    .load(check.id, '', async () => {
      const uptime = await readUptime(context, check)
      return { keep: uptime, value: uptime }
    })
    .catch((error: unknown) => {
      context.log.warn({ err: error, checkId: check.id }, 'cannot read uptime; answering without it')
      return noUptime
    })

const readUptime = async (
  { sql, heartbeatWatch, now }: ReadingContext,
  check: CheckWithState,
): Promise<UptimeAt> => {
  const nowMs = now()
  const sinceMs = nowMs - uptimeWindowsMs.quarter
  const [recorded, watch] = await Promise.all([
    inAccount(sql, check.accountId, async (tx) => {
      const [flips, paused] = await Promise.all([
        findFlips(tx, check.id, sinceMs),
        findPausedSpans(tx, [check.id], sinceMs),
      ])
      return { flips, paused: paused.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs ?? nowMs })) }
    }),
    heartbeatWatch(),
  ])
  return { ...uptimeOf(statusEvidence(check, recorded, watch, nowMs), nowMs), atMs: nowMs }
}

/**
 * The stored config of a check, for editing.
 * @returns SV-3001 if there is no such check, SV-3002 if only a newer version understands it
 */
export const getCheckConfig = async (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
  { params }: { params: { id: string } },
): Promise<CheckConfig | Refusal> => {
  const check = await inAccount(sql, accountId, (tx) => findCheck(tx, accountId, params.id))
  if (check === null) return refuse('SV-3001')
  return check.config.type === 'unknown' ? refuse('SV-3002', { message: writtenByNewer }) : check.config
}

const writtenByNewer =
  'A newer version of the control plane wrote this check. Upgrade this control plane to read it.'
