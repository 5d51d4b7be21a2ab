import type { Logger } from '@probe-mesh/bus/logger'
import type { Assignments } from '@probe-mesh/bus/port'
import { Assignment } from '@probe-mesh/contracts/assignment'
import type { Region } from '@probe-mesh/contracts/regions'
import type { Scheduler } from './scheduler.ts'

/**
 * What a watch of a region's assignments does to the schedule. An assignment that this version of
 * the agent does not understand is reported and stops its check here: its slots are then due and
 * not measured, which the ledger shows, instead of measured by a definition that no longer holds.
 */
export const takeAssignments = (capabilities: {
  region: Region
  scheduler: Scheduler
  log: Logger
  onRefused: () => void
}): Parameters<Assignments['watch']>[1] => {
  const { region, scheduler, log, onRefused } = capabilities
  let current = false
  return {
    onPut: (put) => {
      const parsed = Assignment.safeParse(put)
      if (parsed.success && parsed.data.region === region) {
        // What was there at the start is not made up for: nothing older than now runs.
        scheduler.put(parsed.data, { catchUp: current })
        return
      }
      onRefused()
      log.error(
        {
          checkId: put.checkId,
          type: put.type,
          region: put.region,
          problem: parsed.error?.message,
        },
        'an assignment is not understood and does not run',
      )
      scheduler.remove(put.checkId)
    },
    onRemove: (checkId) => scheduler.remove(checkId),
    onCurrent: () => {
      current = true
      log.info({ assignments: scheduler.size }, 'the assignments are current')
    },
  }
}
