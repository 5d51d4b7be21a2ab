import type { Assignment } from '@probe-mesh/contracts/assignment'
import type { Region } from '@probe-mesh/contracts/regions'
import type { CheckRecord } from './check-record.ts'

/**
 * A check as one region's agents receive it. Pure.
 * @returns null where the region has nothing to run: paused, not one of its regions, or a type
 * without a URL of its own
 */
export const assignmentOf = (check: CheckRecord, region: Region): Assignment | null =>
  check.paused || check.type !== 'http' || check.url === null || !check.regions.includes(region)
    ? null
    : {
        checkId: check.id,
        accountId: check.accountId,
        region,
        revision: check.revision,
        validFrom: check.validFromMs,
        intervalSeconds: check.intervalSeconds,
        type: check.type,
        url: check.url,
        assertions: check.assertions,
        owner: 'account',
      }
