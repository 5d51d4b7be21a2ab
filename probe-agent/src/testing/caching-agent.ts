import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { silentLogger } from '@probe-mesh/bus/logger'
import { openAssignmentCache } from '../assignments/assignment-cache.ts'
import { readLines } from '../assignments/lines.ts'
import { createAssignmentTable } from '../ownership/assignment-table.ts'
import { createScheduler } from '../schedule/scheduler.ts'

/**
 * A program for tests to kill: a cache of assignments in the given directory, with changes every few
 * milliseconds. Prints `changing` once the file contains many of them, some changed by this process.
 */
const [directory = ''] = process.argv.slice(2)
const checks = 400
const changesPerTurn = 50
const manyHeld = 200

const setTimer = () => () => undefined
const scheduler = createScheduler({ now: () => 0, setTimer, onDue: () => undefined })
const table = createAssignmentTable('fra-1', scheduler, 0)
const onDropped = () => undefined
const cache = openAssignmentCache({
  directory,
  region: 'fra',
  table,
  log: silentLogger,
  onDropped,
})
const ids = [...table.ids()]
while (ids.length < checks) ids.push(anAssignment().checkId)
const revisionBefore = Math.max(0, ...ids.map(table.revisionOf))
let revision = revisionBefore

setInterval(() => {
  for (let n = 0; n < changesPerTurn; n++) {
    const checkId = ids[Math.floor(Math.random() * ids.length)] ?? ''
    if (Math.random() < 0.2) {
      if (table.remove(checkId)) cache.remove(checkId)
      continue
    }
    const assignment = anAssignment({ checkId, revision: ++revision })
    if (table.put(assignment, { catchUp: false })) cache.put(assignment)
  }
}, 2)

const path = join(directory, 'lines')
const isWritten = () => {
  const { assignments } = existsSync(path) ? readLines(path, 'fra') : { assignments: [] }
  return assignments.length > manyHeld && assignments.some((each) => each.revision > revisionBefore)
}
const looking = setInterval(() => {
  if (!isWritten()) return
  clearInterval(looking)
  process.stdout.write('changing\n')
}, 20)
