import type { HeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { runMsMax, type Run, type RunContext } from './run.ts'
import { notUnderstood, unmeasured } from './unmeasured.ts'

/** Time for cleanup beyond a run's own limit, ms. */
const runMarginMs = 1_000

/** How long an aborted run may take to return its result, ms. */
const abortGraceMs = 1_000

/** A run in progress. `reading` always resolves, soon after `abort` at the latest. */
export type GuardedRun = { reading: Promise<Reading>; abort(): void }

/**
 * Starts a run that always ends with a reading. A run that rejects or exceeds its deadline, which
 * only a bug causes, becomes `unmeasured`, and `onBug` receives the bug. A check that this version
 * does not understand is not run, and its reading reports that.
 */
export const startGuardedRun = (
  assignment: HeldAssignment,
  context: Omit<RunContext, 'signal'>,
  capabilities: {
    run: Run
    now: () => number
    onBug: (error: unknown) => void
    /** Monotonic ms. */
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
  const schedule = (ms: number) => {
    dueAt = monotonic() + ms
    timer = setTimeout(onDue, ms)
  }
  const onDue = () => {
    // after a standstill this fires together with the run's own deadlines, which go first
    if (monotonic() - dueAt > runMarginMs) {
      schedule(runMarginMs)
      return
    }
    onBug(new Error(`a run of ${assignment.checkId} exceeded its deadline`))
    abort()
  }
  const abort = () => {
    if (aborting.signal.aborted) return
    clearTimeout(timer)
    timer = setTimeout(() => overdue.resolve(null), abortGraceMs)
    aborting.abort()
  }
  schedule(runMsMax(assignment) + runMarginMs)
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
