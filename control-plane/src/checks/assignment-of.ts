import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { revisionPhase } from '@probe-mesh/contracts/reading/slots'
import { catalogAccountId } from '../accounts/accounts-store.ts'
import { hasStepOptions, type CheckRecord } from '../records/check/check-record.ts'

/**
 * A check as the agents of one region receive it.
 * @returns null if the region has nothing to run: the check is paused, in other regions, a heartbeat, or
 * written by a newer version
 */
export const assignmentOf = (check: CheckRecord, region: Region): Assignment | null => {
  if (check.paused || !check.regions.includes(region)) return null
  const base = {
    checkId: check.id,
    accountId: check.accountId,
    region,
    revision: check.revision,
    validFrom: check.validFromMs,
    intervalSeconds: check.intervalSeconds,
    ...(check.isSpread === true && { phaseMs: revisionPhase(check.id, region, check) }),
    owner: check.accountId === catalogAccountId ? 'catalog' : 'account',
  } as const
  const { config } = check
  switch (config.type) {
    case 'heartbeat':
    case 'unknown':
      return null
    case 'http':
      if (check.url === null) return null
      return {
        ...base,
        ...(config.request === undefined
          ? { type: 'http' }
          : { type: 'http_request', request: config.request }),
        url: check.url,
        assertions: check.assertions,
        ...(config.sendRegion === true && { sendRegion: true }),
        ...(config.timeoutSeconds !== undefined && { timeoutSeconds: config.timeoutSeconds }),
        ...(config.refusedAs === 'blocked' && { refusedAs: config.refusedAs }),
      }
    case 'multistep':
      return { ...base, ...config, type: hasStepOptions(config.steps) ? 'multistep_request' : 'multistep' }
    default:
      return { ...base, ...config }
  }
}
