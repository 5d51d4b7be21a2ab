import type { Logger } from '@probe-mesh/bus/logger'
import type { Assignments } from '@probe-mesh/bus/port'
import { Assignment, toHeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { AssignmentCache } from './assignment-cache.ts'
import type { AssignmentTable } from '../ownership/assignment-table.ts'
import type { SetTimer } from '../schedule/set-timer.ts'

type WatchHandler = Parameters<Assignments['watch']>[1]

/**
 * An empty bucket must stay empty for this long before its assignments are removed, ms: a bucket that lost
 * its disk is refilled within seconds, and the known checks keep running during that time.
 */
export const emptyBelievedMs = 60_000

type AssignmentConsumer = {
  /** The handler of a new watch; events of an earlier watch are ignored. */
  newWatch(): WatchHandler
  /** Whether any watch has delivered all assignments. */
  readonly current: boolean
  /** Resolves when `current` becomes true. */
  readonly whenCurrent: Promise<void>
  close(): void
}

/**
 * Applies the watches of a region to its assignments. An assignment that this version does not
 * understand is logged and stored as unknown: each of its slots becomes an `unmeasured` reading.
 * Without readable slots its check stops here, and the ledger shows the missing readings.
 */
export const consumeAssignments = (capabilities: {
  region: Region
  table: AssignmentTable
  cache: Pick<AssignmentCache, 'put' | 'remove'>
  setTimer: SetTimer
  log: Logger
  onRefused: () => void
}): AssignmentConsumer => {
  const { region, table, cache, setTimer, log, onRefused } = capabilities
  let current = false
  const becomesCurrent = Promise.withResolvers<void>()
  let watch: symbol | null = null
  let stopDoubting: () => void = () => undefined

  const remove = (checkId: string) => {
    if (table.remove(checkId)) cache.remove(checkId)
  }
  const refuse = (put: Assignment) => {
    onRefused()
    const { checkId, type } = put
    log.error(
      { checkId, type, region: put.region, problem: Assignment.safeParse(put).error?.message },
      'the agent does not understand an assignment and does not run it',
    )
  }
  /**
   * @returns the id under which it is stored
   */
  const accept = (put: Assignment): string => {
    const held = toHeldAssignment(put)
    const isOurs = held !== null && held.region === region
    if (!isOurs || held.type === 'unknown') refuse(put)
    if (!isOurs) {
      remove(put.checkId)
      return put.checkId
    }
    // slots before the start of the agent are not caught up
    if (table.put(held, { catchUp: current })) cache.put(held)
    return held.checkId
  }
  const newWatch = (): WatchHandler => {
    const mine = Symbol('watch')
    watch = mine
    stopDoubting()
    /** The assignments of this watch; null once all others were removed. */
    let seen: Set<string> | null = new Set()
    const removeUnseen = () => {
      const unseen = [...table.ids()].filter((checkId) => seen?.has(checkId) === false)
      seen = null
      for (const checkId of unseen) remove(checkId)
      log.info({ assignments: table.size, removed: unseen.length }, 'the assignments are settled')
    }
    return {
      onPut: (put) => {
        if (watch !== mine) return
        // the bucket is the truth, also when it was restored to an older revision
        if (seen !== null && put.revision < table.revisionOf(put.checkId)) remove(put.checkId)
        const checkId = accept(put)
        seen?.add(checkId)
      },
      onRemove: (checkId) => {
        if (watch !== mine) return
        seen?.delete(checkId)
        remove(checkId)
      },
      onCurrent: () => {
        if (watch !== mine) return
        current = true
        becomesCurrent.resolve()
        if (seen?.size !== 0 || table.size === 0) return removeUnseen()
        log.warn({ assignments: table.size }, 'the bus has no assignments; the known ones keep running')
        stopDoubting = setTimer(emptyBelievedMs, removeUnseen)
      },
    }
  }

  return {
    newWatch,
    get current() {
      return current
    },
    whenCurrent: becomesCurrent.promise,
    close: () => {
      watch = null
      stopDoubting()
    },
  }
}
