import type { HeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { runMsMax } from './run.ts'
import type { Run, RunContext } from './run.ts'
import { notUnderstood, unmeasured } from './unmeasured.ts'

/** Beyond the longest that a run says it takes, what it may need to clean up, ms. */
const runMarginMs = 1_000

/** How long an aborted run may take to give what it has, ms. */
const abortGraceMs = 1_000

/** A run in progress. `reading` always resolves, soon after `abort` at the latest. */
export type GuardedRun = { reading: Promise<Reading>; abort(): void }

/**
 * Starts a run that always ends in a reading: one that rejects or outlives its deadline, which
 * only a bug makes it do, becomes `unmeasured`, and the bug is told to `onBug`. What this version
 * does not understand is not run, and its reading says so.
 */
export const startGuardedRun = (
  assignment: HeldAssignment,
  context: Omit<RunContext, 'signal'>,
  capabilities: {
    run: Run
    now: () => number
    onBug: (error: unknown) => void
    /** Milliseconds that never go back. */
    monotonic?: () => number
  },
): GuardedRun => {
  const { run, now, onBug, monotonic = () => performance.now() } = capabilities
  if (assignment.type === 'unknown') {
    const reading = notUnderstood(assignment, context, now())
    return { reading: Promise.resolve(reading), abort: () => undefined }
  }
  const aborting = new AbortController()
  const overdue = Promise.withResolvers<null>()
  let dueAt: number
  let timer: NodeJS.Timeout
  const giveIt = (ms: number) => {
    dueAt = monotonic() + ms
    timer = setTimeout(onDue, ms)
  }
  const onDue = () => {
    // a process that stood still finds this due with the run's own deadlines: they have their turn first
    if (monotonic() - dueAt > runMarginMs) {
      giveIt(runMarginMs)
      return
    }
    onBug(new Error(`a run of ${assignment.checkId} outlived its deadline`))
    abort()
  }
  const abort = () => {
    if (aborting.signal.aborted) return
    clearTimeout(timer)
    timer = setTimeout(() => overdue.resolve(null), abortGraceMs)
    aborting.abort()
  }
  giveIt(runMsMax(assignment) + runMarginMs)
  const measure = async (): Promise<Reading> => {
    try {
      const running = run(assignment, { ...context, signal: aborting.signal })
      const reading = await Promise.race([running, overdue.promise])
      return reading ?? unmeasured(assignment, context, 'probe_overdue', now())
    } catch (error) {
      onBug(error)
      return unmeasured(assignment, context, 'probe_error', now())
    } finally {
      clearTimeout(timer)
    }
  }
  return { reading: measure(), abort }
}
