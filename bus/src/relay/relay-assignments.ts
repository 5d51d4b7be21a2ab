import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { callHandler, type Logger } from '../logger.ts'
import type { Assignments, Subscription } from '../port.ts'

type Handler = Parameters<Assignments['watch']>[1]
type Watcher = { handler: Handler; given: Map<string, number>; isCurrent: boolean }

/** The assignments that the relay sent, for local watchers. */
export const createRelayAssignments = (log: Logger) => {
  /** The assignments since the relay reported that all were sent. */
  let held = new Map<string, Assignment>()
  /** The assignments since the stream began; null: all were sent. */
  let incoming: Map<string, Assignment> | null = new Map()
  const watchers = new Set<Watcher>()

  const guarded = (call: () => void): void => callHandler(log, call)
  /** Sends a watcher the differences from what it has. */
  const bringUp = (watcher: Watcher): void => {
    const { handler, given } = watcher
    for (const checkId of given.keys()) {
      if (held.has(checkId)) continue
      given.delete(checkId)
      guarded(() => handler.onRemove(checkId))
    }
    for (const [checkId, assignment] of held) {
      if (given.get(checkId) === assignment.revision) continue
      given.set(checkId, assignment.revision)
      guarded(() => handler.onPut(structuredClone(assignment)))
    }
    if (watcher.isCurrent) return
    watcher.isCurrent = true
    guarded(() => handler.onCurrent())
  }
  const bringAllUp = (): void => {
    for (const watcher of watchers) bringUp(watcher)
  }

  return {
    /** A stream starts: assignments that it does not send before `current` are removed. */
    begin: (): void => {
      incoming = new Map()
    },
    put: (assignments: readonly Assignment[]): void => {
      for (const assignment of assignments) (incoming ?? held).set(assignment.checkId, assignment)
      if (incoming === null) bringAllUp()
    },
    remove: (checkId: string): void => {
      ;(incoming ?? held).delete(checkId)
      if (incoming === null) bringAllUp()
    },
    current: (): void => {
      if (incoming !== null) held = incoming
      incoming = null
      bringAllUp()
    },
    watch: async (handler: Handler): Promise<Subscription> => {
      const watcher: Watcher = { handler, given: new Map(), isCurrent: false }
      watchers.add(watcher)
      setImmediate(() => {
        if (incoming === null && watchers.has(watcher)) bringUp(watcher)
      })
      return {
        close: async () => {
          watchers.delete(watcher)
        },
      }
    },
  }
}
