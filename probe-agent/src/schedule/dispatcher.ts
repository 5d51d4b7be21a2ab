import type { HeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import {
  createFairPool,
  type FairPool,
  type NoPlace,
  type Place,
  type PoolBounds,
} from '@probe-mesh/runtime/fair-pool'
import { startGuardedRun, type GuardedRun } from './guarded-run.ts'
import type { Run, RunContext } from './run.ts'
import { startDeadlineMs } from './start-deadline.ts'
import { unmeasured } from './unmeasured.ts'
import { inWork } from '@probe-mesh/runtime/loop-watch'

/** Interval of the check for expired start deadlines, ms. */
const expiryMs = 1_000
const postponedMs = 60_000

export type Dispatcher = {
  /** Runs a slot now or soon. It always produces a reading, unless the agent is closed first. */
  submit(assignment: HeldAssignment, slot: number): void
  /**
   * Runs on demand when it is the account's turn; `busy` when that takes too long, or the agent is
   * closing. Confirmations and trials of Free accounts have their own places.
   */
  runNow(assignment: HeldAssignment, asked: RequestedRun): Promise<Reading | 'busy'>
  readonly inProgress: number
  readonly waiting: number
  /** For a minute, runs of the account start after those of all others: one of them held the loop. */
  postpone(accountId: string): void
  /** For metrics. */
  readonly pools: DispatcherPools
  /** Starts no more runs, waits up to `graceMs` for those in progress, and drops the rest. */
  close(graceMs: number): Promise<void>
}

type DispatcherPools = Readonly<Record<'runs' | 'runsAsked' | 'runsTried' | 'confirmations', FairPool>>

type DispatcherCapabilities = {
  run: Run
  /** Unix ms */
  now: () => number
  /** Called in the tick of each new reading. */
  onReading: (reading: Reading) => void
  onStart: (lateMs: number) => void
  onBug: (error: unknown) => void
  /** For scheduled runs. */
  bounds?: PoolBounds
}

type RequestedRun = Pick<RunContext, 'slot' | 'kind' | 'number' | 'freeTrial' | 'excerpt'>
type Job = { assignment: HeldAssignment; slot: number }
/** A job that waits for a place, or for the current run of its check. */
type Waiting = { job: Job; leave(): void }

type DispatcherState = DispatcherCapabilities & {
  readonly pools: DispatcherPools
  /** Ids of checks with a scheduled run: a check never overlaps itself. */
  readonly running: Set<string>
  /** At most one job per check, in order. */
  readonly waiting: Map<string, Waiting>
  readonly guarded: Map<GuardedRun, Promise<void>>
  /** Aborted when no more runs start. */
  readonly closing: AbortController
  expiry: NodeJS.Timeout | null
  /** Accounts that go last, each until its timer. */
  readonly postponed: Map<string, NodeJS.Timeout>
  phase: 'open' | 'closing' | 'closed'
}

/**
 * Limits the runs in progress, in total and per account. A run that cannot start in time becomes
 * `unmeasured`, never silent.
 */
export const createDispatcher = (capabilities: DispatcherCapabilities): Dispatcher => {
  const state: DispatcherState = {
    ...capabilities,
    pools: {
      runs: createFairPool(capabilities.bounds ?? agentPools.runs.bounds),
      runsAsked: createFairPool(agentPools.runsAsked.bounds),
      runsTried: createFairPool(agentPools.runsTried.bounds),
      confirmations: createFairPool(agentPools.confirmations.bounds),
    },
    running: new Set(),
    waiting: new Map(),
    guarded: new Map(),
    closing: new AbortController(),
    expiry: null,
    postponed: new Map(),
    phase: 'open',
  }
  return {
    submit: (assignment, slot) => submit(state, { assignment, slot }),
    runNow: (assignment, asked) => runNow(state, assignment, asked),
    get inProgress() {
      return state.guarded.size
    },
    get waiting() {
      return state.waiting.size
    },
    postpone: (accountId) => postpone(state, accountId),
    pools: state.pools,
    close: (graceMs) => close(state, graceMs),
  }
}

const postpone = ({ pools, postponed }: DispatcherState, accountId: string): void => {
  const all = Object.values(pools)
  clearTimeout(postponed.get(accountId))
  for (const pool of all) pool.setLast(accountId, true)
  const end = (): void => {
    postponed.delete(accountId)
    for (const pool of all) pool.setLast(accountId, false)
  }
  postponed.set(accountId, setTimeout(end, postponedMs).unref())
}

/** Unknown types cost nothing, so their account does not matter. */
const accountOf = (assignment: HeldAssignment): string =>
  assignment.type === 'unknown' ? 'unknown' : assignment.accountId

const lateMsOf = (state: DispatcherState, slot: number): number => Math.max(0, state.now() - slot)

const isTooLate = (state: DispatcherState, { assignment, slot }: Job): boolean =>
  lateMsOf(state, slot) > startDeadlineMs(assignment.intervalSeconds)

const submit = (state: DispatcherState, job: Job): void => {
  if (state.phase !== 'open') return
  const { checkId } = job.assignment
  if (isTooLate(state, job)) return overload(state, job)
  const earlier = state.waiting.get(checkId)
  if (earlier !== undefined) {
    overload(state, earlier.job)
    // keeps its place in the queue
    earlier.job = job
    return
  }
  if (state.running.has(checkId)) return wait(state, { job, leave: () => undefined })
  const place = state.pools.runs.takeNow(accountOf(job.assignment))
  if (place !== null) return start(state, job, place)
  const waiting: Waiting = { job, leave: () => undefined }
  const settle = (result: Place | NoPlace): void => startTurn(state, waiting, result)
  const leave = state.pools.runs.enqueue(accountOf(job.assignment), settle)
  if (leave === null) return overload(state, job)
  waiting.leave = leave
  wait(state, waiting)
}

const wait = (state: DispatcherState, waiting: Waiting): void => {
  state.waiting.set(waiting.job.assignment.checkId, waiting)
  state.expiry ??= setInterval(() => expire(state), expiryMs)
}

const startTurn = (state: DispatcherState, { job }: Waiting, result: Place | NoPlace): void => {
  state.waiting.delete(job.assignment.checkId)
  if (typeof result === 'string') return overload(state, job)
  if (!isTooLate(state, job)) return start(state, job, result)
  overload(state, job)
  result.release()
}

const overload = (state: DispatcherState, { assignment, slot }: Job): void => {
  const context = { slot, kind: 'scheduled', number: 0, lateMs: lateMsOf(state, slot) } as const
  recordReading(state, unmeasured(assignment, context, 'probe_overloaded', state.now()))
}

/** The excerpt in a trial's result is never delivered or stored. */
const recordReading = (state: DispatcherState, { excerpt: _excerpt, ...reading }: Reading): void => {
  try {
    state.onReading(reading)
  } catch (error) {
    state.onBug(error)
  }
}

const start = (state: DispatcherState, { assignment, slot }: Job, place: Place): void => {
  const { checkId } = assignment
  state.running.add(checkId)
  const context = { slot, kind: 'scheduled', number: 0, lateMs: lateMsOf(state, slot) } as const
  state.onStart(context.lateMs)
  void measure(state, assignment, context).then(() => {
    state.running.delete(checkId)
    place.release()
    const next = state.waiting.get(checkId)
    if (next === undefined) return
    state.waiting.delete(checkId)
    submit(state, next.job)
  })
}

const measure = async (
  state: DispatcherState,
  assignment: HeldAssignment,
  context: Omit<RunContext, 'signal'>,
): Promise<Reading | null> => {
  const { checkId, region } = assignment
  const work = { kind: 'check', what: checkId, region, owner: accountOf(assignment) } as const
  const guarded = inWork(work, () => startGuardedRun(assignment, context, state))
  const ended = Promise.withResolvers<void>()
  state.guarded.set(guarded, ended.promise)
  const reading = await guarded.reading
  state.guarded.delete(guarded)
  const taken = state.phase !== 'closed'
  if (taken) recordReading(state, reading)
  ended.resolve()
  return taken ? reading : null
}

const expire = (state: DispatcherState): void => {
  for (const [checkId, { job, leave }] of state.waiting) {
    if (!isTooLate(state, job)) continue
    state.waiting.delete(checkId)
    leave()
    overload(state, job)
  }
  if (state.waiting.size === 0) stopExpiry(state)
}

const stopExpiry = (state: DispatcherState): void => {
  if (state.expiry !== null) clearInterval(state.expiry)
  state.expiry = null
}

const runNow = async (
  state: DispatcherState,
  assignment: HeldAssignment,
  asked: RequestedRun,
): Promise<Reading | 'busy'> => {
  if (state.phase !== 'open') return 'busy'
  const { closing } = state
  const pool = poolOf(state, asked)
  const owner = accountOf(assignment)
  const wait = { signal: closing.signal, waitMsMax: limits.runTurnMsMax }
  const place = pool.takeNow(owner) ?? (await pool.take(owner, wait))
  if (typeof place === 'string') return 'busy'
  try {
    const context = { ...asked, lateMs: lateMsOf(state, asked.slot) }
    return (await measure(state, assignment, context)) ?? 'busy'
  } finally {
    place.release()
  }
}

const poolOf = ({ pools }: DispatcherState, { kind, freeTrial = false }: RequestedRun): FairPool => {
  if (kind === 'confirmation') return pools.confirmations
  return freeTrial ? pools.runsTried : pools.runsAsked
}

const close = async (state: DispatcherState, graceMs: number): Promise<void> => {
  state.phase = 'closing'
  for (const { leave } of state.waiting.values()) leave()
  state.waiting.clear()
  state.closing.abort()
  stopExpiry(state)
  const grace = Promise.withResolvers<void>()
  const timer = setTimeout(grace.resolve, graceMs)
  await Promise.race([Promise.all(state.guarded.values()), grace.promise])
  clearTimeout(timer)
  state.phase = 'closed'
  for (const guarded of state.guarded.keys()) guarded.abort()
}
