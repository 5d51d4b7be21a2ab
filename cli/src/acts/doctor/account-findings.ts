import type { Me } from '@probe-mesh/contracts/account/account'
import { apiKeyScope } from '@probe-mesh/contracts/account/api-key'
import type { Check } from '@probe-mesh/contracts/check/check'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { ask } from '../../api/ask.ts'
import { boundedFetch } from '../../api/open-api.ts'
import type { Settings } from '../../api/settings.ts'
import type { Finding } from '../../show/findings.ts'
import type { World } from '../../terminal/world.ts'
import { doctorAnswerMsMax } from './api-findings.ts'
import { failuresToFindings } from './failure-findings.ts'

/** Nothing here repeats a key. */
export const keyFinding = (key: string): Finding => ({
  level: 'ok',
  topic: 'key',
  message: `well formed, ${apiKeyScope(key)}`,
})

/** Whether the API takes the key, what it may do, and what is left of its limits. */
export const accountFindings = async (world: World, settings: Settings): Promise<Finding[]> => {
  const client = createApiClient({ ...settings, fetch: boundedFetch(world, doctorAnswerMsMax) })
  const asking = { what: 'Asking', apiUrl: settings.apiUrl, quiet: true }
  const me = await ask(world, asking, () => client.call('getMe', {}))
  if (me.ok) {
    const listed = await ask(world, asking, () => client.call('listChecks', {}))
    return [
      ...findingsOf(me.value),
      ...(listed.ok
        ? [freshnessFinding(listed.value.checks)]
        : failuresToFindings('readings', listed.failures).map((finding) => ({
            ...finding,
            level: 'warn' as const,
          }))),
    ]
  }
  return failuresToFindings('account', me.failures).map((finding, n) => {
    const failure = me.failures[n]
    const code = failure !== undefined && 'code' in failure ? failure.code : ''
    const { level = finding.level, next = finding.next } = advice[code] ?? {}
    return next === undefined ? { ...finding, level } : { ...finding, level, next }
  })
}

const advice: Readonly<Record<string, Partial<Pick<Finding, 'level' | 'next'>>>> = {
  'SV-1002': { next: 'Make a key in the dashboard, under API and MCP access.' },
  'SV-1003': { next: 'Without one, `service outage` and the tool server still answer.' },
  'SV-6001': { level: 'warn', next: 'The key is accepted; commands that read wait by themselves.' },
}

/** Whether what is said of the account's checks is fresh; a check that is down is nobody's fault here. */
const freshnessFinding = (checks: readonly Pick<Check, 'status' | 'paused'>[]): Finding => {
  const topic = 'readings'
  const running = checks.filter(({ paused }) => !paused)
  const stale = running.filter(({ status }) => status === 'stale').length
  const unknown = running.filter(({ status }) => status === 'unknown').length
  const fresh = `${running.length - stale - unknown} of ${running.length} running checks have fresh ones`
  if (stale === 0 && unknown === 0) return { level: 'ok', topic, message: fresh }
  return {
    level: 'warn',
    topic,
    message: `${fresh}; ${stale} went stale, ${unknown} were never measured.`,
    next: 'A new check is measured within its interval; else the operator sees why with `npm run -s admin -- doctor`.',
  }
}

const findingsOf = ({ account, key, limits, regions }: Me): Finding[] => {
  const { monitors, reads, writes } = limits
  return [
    { level: 'ok', topic: 'account', message: `${account.name}, ${account.tier} tier` },
    key.scope === 'read_write'
      ? { level: 'ok', topic: 'scope', message: 'read_write: may plan and apply' }
      : {
          level: 'warn',
          topic: 'scope',
          message: 'read: may plan, but not apply or run.',
          next: 'Make a read_write key in the dashboard to change anything.',
        },
    {
      level: monitors.used < monitors.allowed ? 'ok' : 'warn',
      topic: 'checks',
      message: `${monitors.used} of ${monitors.allowed} used, every ${limits.minimumIntervalSeconds} s at most`,
      ...(monitors.used < monitors.allowed
        ? {}
        : { next: 'Delete one, or change the tier, before another is created.' }),
    },
    {
      level: reads.left > 0 && writes.left > 0 ? 'ok' : 'warn',
      topic: 'budget',
      message: `${reads.left} reads and ${writes.left} writes left of this minute`,
    },
    regions.length > 0
      ? { level: 'ok', topic: 'regions', message: regions.join(', ') }
      : {
          level: 'fail',
          topic: 'regions',
          message: 'No region is live: nothing is measured.',
          next: 'The operator sets them with REGIONS.',
        },
  ]
}
