import type { Me } from '@probe-mesh/contracts/account/account'
import { apiKeyScope } from '@probe-mesh/contracts/account/key-text'
import type { Check } from '@probe-mesh/contracts/check/check'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { boundedFetch } from '../../api/open-api.ts'
import { request } from '../../api/request.ts'
import type { Settings } from '../../api/settings.ts'
import type { Context } from '../../terminal/context.ts'
import { doctorAnswerMsMax } from './api-findings.ts'
import { failuresToFindings, type Finding } from './findings.ts'

/** Never repeats the key. */
export const keyFinding = (key: string): Finding => ({
  level: 'ok',
  topic: 'key',
  message: `well formed, ${apiKeyScope(key)}`,
})

/** Whether the API accepts the key, what the key may do, and its remaining limits. */
export const accountFindings = async (context: Context, settings: Settings): Promise<Finding[]> => {
  const client = createApiClient({ ...settings, fetch: boundedFetch(context, doctorAnswerMsMax) })
  const asking = { what: 'Asking', apiUrl: settings.apiUrl, quiet: true }
  const me = await request(context, asking, () => client.call('getMe', {}))
  if (me.ok) {
    const listed = await request(context, asking, () => client.call('listChecks', {}))
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
  'SV-1002': { next: 'Create a key in the dashboard under API and MCP access.' },
  'SV-1003': { next: '`probe-mesh outage` and the MCP server work without a key.' },
  'SV-6001': {
    level: 'warn',
    next: 'The key is accepted. Commands that read wait until the limit resets.',
  },
}

/** Whether the account's checks have fresh readings, up or down. */
const freshnessFinding = (checks: readonly Pick<Check, 'status' | 'paused'>[]): Finding => {
  const topic = 'readings'
  const running = checks.filter(({ paused }) => !paused)
  const stale = running.filter(({ status }) => status === 'stale').length
  const unknown = running.filter(({ status }) => status === 'unknown').length
  const fresh = `${running.length - stale - unknown} of ${running.length} running checks have fresh readings`
  if (stale === 0 && unknown === 0) return { level: 'ok', topic, message: fresh }
  return {
    level: 'warn',
    topic,
    message: `${fresh}; ${stale} are stale, ${unknown} were never measured.`,
    next: 'A new check is measured within its interval. If it is not, the operator can run `npm run -s admin -- doctor`.',
  }
}

const findingsOf = ({ account, key, limits, regions }: Me): Finding[] => {
  const { monitors, reads, writes } = limits
  return [
    { level: 'ok', topic: 'account', message: `${account.name}, ${account.tier} plan` },
    key.scope === 'read_write'
      ? { level: 'ok', topic: 'scope', message: 'read_write: can show and apply changes' }
      : {
          level: 'warn',
          topic: 'scope',
          message: 'read: can show changes, but cannot apply them or run checks.',
          next: 'Create a read_write key in the dashboard to change anything.',
        },
    {
      level: monitors.used < monitors.allowed ? 'ok' : 'warn',
      topic: 'checks',
      message: `${monitors.used} of ${monitors.allowed} used, shortest interval ${limits.minimumIntervalSeconds} s`,
      ...(monitors.used < monitors.allowed
        ? {}
        : { next: 'Delete a check or change the plan before you create another.' }),
    },
    {
      level: reads.left > 0 && writes.left > 0 ? 'ok' : 'warn',
      topic: 'budget',
      message: `${reads.left} reads and ${writes.left} writes left this minute`,
    },
    regions.length > 0
      ? { level: 'ok', topic: 'regions', message: regions.join(', ') }
      : {
          level: 'fail',
          topic: 'regions',
          message: 'No region is live: nothing is measured.',
          next: 'The operator sets regions with REGIONS.',
        },
  ]
}
