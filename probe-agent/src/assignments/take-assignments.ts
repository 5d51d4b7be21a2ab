import type { Logger } from '@probe-mesh/bus/logger'
import type { Assignments } from '@probe-mesh/bus/port'
import { Assignment, toHeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { AssignmentCache } from './assignment-cache.ts'
import type { Book } from '../share/book.ts'
import type { SetTimer } from '../schedule/set-timer.ts'

type WatchHandler = Parameters<Assignments['watch']>[1]

/**
 * How long an empty bucket must stay so until it is believed, ms: one that lost its disk is
 * filled again within seconds, and what is known goes on being measured meanwhile.
 */
export const emptyBelievedMs = 60_000

export type AssignmentTaker = {
  /** The handler of a new watch; what an earlier watch still says is not heard any more. */
  newWatch(): WatchHandler
  /** Whether a watch has ever told all. */
  readonly current: boolean
  /** Resolves when it has. */
  readonly whenCurrent: Promise<void>
  close(): void
}

/**
 * What watches of a region's assignments do to the book. An assignment that this version of the
 * agent does not understand is told of and held as unknown: each of its slots becomes an
 * `unmeasured` reading, instead of one by a definition that no longer holds. Where not even its
 * slots are told, its check stops here, and the ledger shows what is missing.
 */
export const takeAssignments = (capabilities: {
  region: Region
  book: Book
  cache: Pick<AssignmentCache, 'put' | 'remove'>
  setTimer: SetTimer
  log: Logger
  onRefused: () => void
}): AssignmentTaker => {
  const { region, book, cache, setTimer, log, onRefused } = capabilities
  let current = false
  const becomesCurrent = Promise.withResolvers<void>()
  let watch: symbol | null = null
  let stopDoubting: () => void = () => undefined

  const remove = (checkId: string) => {
    if (book.remove(checkId)) cache.remove(checkId)
  }
  const refuse = (put: Assignment) => {
    onRefused()
    const { checkId, type } = put
    log.error(
      { checkId, type, region: put.region, problem: Assignment.safeParse(put).error?.message },
      'an assignment is not understood and does not run',
    )
  }
  /** @returns the id under which the book holds it */
  const take = (put: Assignment): string => {
    const held = toHeldAssignment(put)
    const isOurs = held !== null && held.region === region
    if (!isOurs || held.type === 'unknown') refuse(put)
    if (!isOurs) {
      remove(put.checkId)
      return put.checkId
    }
    // What was there at the start is not made up for: nothing older than now runs.
    if (book.put(held, { catchUp: current })) cache.put(held)
    return held.checkId
  }
  const newWatch = (): WatchHandler => {
    const mine = Symbol('watch')
    watch = mine
    stopDoubting()
    /** What this watch told; null once all else was removed. */
    let told: Set<string> | null = new Set()
    const removeUntold = () => {
      const untold = [...book.ids()].filter((checkId) => told?.has(checkId) === false)
      told = null
      for (const checkId of untold) remove(checkId)
      log.info({ assignments: book.size, removed: untold.length }, 'the assignments are settled')
    }
    return {
      onPut: (put) => {
        if (watch !== mine) return
        // What the bucket holds is the truth, also where it was restored to less than is known.
        if (told !== null && put.revision < book.revisionOf(put.checkId)) remove(put.checkId)
        const checkId = take(put)
        told?.add(checkId)
      },
      onRemove: (checkId) => {
        if (watch !== mine) return
        told?.delete(checkId)
        remove(checkId)
      },
      onCurrent: () => {
        if (watch !== mine) return
        current = true
        becomesCurrent.resolve()
        if (told?.size !== 0 || book.size === 0) return removeUntold()
        log.warn({ assignments: book.size }, 'the bus holds no assignments; the known ones go on')
        stopDoubting = setTimer(emptyBelievedMs, removeUntold)
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
