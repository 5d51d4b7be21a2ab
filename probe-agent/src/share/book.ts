import type { Assignment } from '@probe-mesh/contracts/assignment'
import type { CatchUp, Scheduler } from '../slots/scheduler.ts'
import { ownerAmong } from './rendezvous.ts'

/** All assignments of the region. Those of this agent's share are in its schedule. */
export type Book = {
  /**
   * Takes an assignment unless a later revision is known.
   * @returns whether that changed anything
   */
  put(assignment: Assignment, how: CatchUp): boolean
  /** @returns whether it was there */
  remove(checkId: string): boolean
  /**
   * Who shares the region from now on; before the first call nothing runs. What was run by a
   * member that is gone is made up for, as far back as a run may still begin; by an agent that
   * begins, since it began: the others may let go before it has seen that its share is taken.
   */
  shareAmong(members: readonly string[]): void
  readonly size: number
  /** The revision known of a check, or 0. */
  revisionOf(checkId: string): number
  ids(): Iterable<string>
  assignments(): Iterable<Assignment>
}

/** @param beganAt of this life of the agent, Unix ms */
export const createBook = (self: string, scheduler: Scheduler, beganAt: number): Book => {
  const assignments = new Map<string, Assignment>()
  let ownerOf: ((checkId: string) => string) | null = null

  return {
    put: (assignment, how) => {
      const { checkId } = assignment
      const known = assignments.get(checkId)
      if (known !== undefined && !isNews(known, assignment)) return false
      assignments.set(checkId, assignment)
      if (ownerOf?.(checkId) === self) scheduler.put(assignment, how)
      return true
    },
    remove: (checkId) => {
      scheduler.remove(checkId)
      return assignments.delete(checkId)
    },
    shareAmong: (members) => {
      const formerOwnerOf = ownerOf
      const present = new Set(members)
      const nextOwnerOf = ownerAmong(members)
      ownerOf = nextOwnerOf
      for (const [checkId, assignment] of assignments) {
        const former = formerOwnerOf?.(checkId) ?? null
        const isMine = nextOwnerOf(checkId) === self
        if (isMine === (former === self)) continue
        if (!isMine) scheduler.release(checkId)
        else if (former === null) scheduler.put(assignment, { catchUp: true, since: beganAt })
        else scheduler.put(assignment, { catchUp: !present.has(former) })
      }
    },
    get size() {
      return assignments.size
    },
    revisionOf: (checkId) => assignments.get(checkId)?.revision ?? 0,
    ids: () => assignments.keys(),
    assignments: () => assignments.values(),
  }
}

/** Compared as text: both came through one schema, so what is equal is written alike. */
const isNews = (known: Assignment, put: Assignment): boolean =>
  put.revision > known.revision ||
  (put.revision === known.revision && JSON.stringify(put) !== JSON.stringify(known))
