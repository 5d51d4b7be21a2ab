import { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import type { StatusChange } from '../status/observe.ts'
import { pauseOf, withoutVerdict } from './health.ts'
import { nextDeadline, observeDeadline } from './heartbeat.ts'
import type { Outage } from './outage.ts'
import { applyPings, type Ping } from './ping.ts'
import { newHeartbeatState, type HeartbeatDefinition, type HeartbeatState, type RunRecord } from './state.ts'

export const minuteMs = 60_000

/** A period of ten minutes with five of grace by default. */
export const settingsOf = (more: Partial<HeartbeatSettings> = {}): HeartbeatSettings =>
  HeartbeatSettings.parse({ periodSeconds: 600, graceSeconds: 300, ...more })

/** A heartbeat driven like by the database and the loop: the stored deadline decides when it is checked. */
export const playHeartbeat = (
  settings: HeartbeatSettings,
  options: {
    outages?: Outage[]
    /** Called after every step, one ping or one clock at a time. */
    onStep?(before: HeartbeatState, after: HeartbeatState): void
  } = {},
) => {
  const outages = options.outages ?? []
  let state: HeartbeatState = newHeartbeatState
  let deadlineMs: number | null = null
  let ids = 0
  const definition: HeartbeatDefinition = {
    settings,
    paused: false,
    validFromMs: 0,
    status: 'unknown',
  }
  const runs = new Map<string, RunRecord>()
  const history: RunRecord[] = []
  const flips: StatusChange[] = []
  const newRunId = (): string => `run ${++ids}`
  const keep = (changed: readonly RunRecord[], changes: readonly StatusChange[]): void => {
    for (const run of changed) {
      const message = run.message ?? runs.get(run.id)?.message ?? null
      runs.set(run.id, { ...run, message })
      history.push(run)
    }
    for (const flip of changes) {
      flips.push(flip)
      definition.status = flip.to
    }
  }
  const isFinished = (rid: string): boolean =>
    [...runs.values()].some((run) => run.rid === rid && run.finishedAtMs !== null)

  return {
    state: () => state,
    deadlineMs: () => deadlineMs,
    definition,
    flips,
    /** Every change of a run, in order. */
    history,
    runs: (): RunRecord[] => [...runs.values()],
    ping: (atMs: number, kind: Ping['kind'] = 'success', more: Partial<Ping> = {}): void => {
      const ping: Ping = { kind, rid: null, exitCode: null, message: null, atMs, ...more }
      const applied = applyPings(state, definition, [ping], { newRunId, isFinished })
      options.onStep?.(state, applied.state)
      state = applied.state
      deadlineMs = applied.nextDeadlineMs
      keep(applied.runs, applied.flips)
    },
    /** Fires all due clocks. @returns how many fired */
    pass: (nowMs: number): number => {
      let fired = 0
      while (deadlineMs !== null && deadlineMs <= nowMs) {
        const step = observeDeadline(state, definition, { outages, runId: newRunId() }, nowMs)
        if (step.state !== state) fired += 1
        options.onStep?.(state, step.state)
        state = step.state
        deadlineMs = step.nextDeadlineMs
        keep(step.runs, step.flip === null ? [] : [step.flip])
      }
      return fired
    },
    /** The state after a check at this instant, with any stored deadline. */
    lookedAt: (nowMs: number): HeartbeatState =>
      observeDeadline(state, definition, { outages, runId: 'a look' }, nowMs).state,
    /** Like a restart: only stored state remains. */
    restart: (): void => {
      state = JSON.parse(JSON.stringify(state))
    },
    /** Like `rearmHeartbeat`, after a change of the definition. */
    rearm: (nowMs: number): void => {
      if (definition.paused) state = withoutVerdict(state)
      const flip = pauseOf(definition, nowMs)
      keep([], flip === null ? [] : [flip])
      deadlineMs = nextDeadline(state, definition, nowMs)
    },
  }
}
