import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { describeHeartbeat } from './describe-heartbeat.ts'
import { clientRetryMs, type Outage } from './outage.ts'
import type { Ping } from './ping.ts'
import { failuresToHoldDown, successesToRelease, type HeartbeatState } from './state.ts'
import { minuteMs, playHeartbeat, settingsOf } from './testing.ts'

const t0 = 1_800_000_000_000

type Move =
  | {
      kind: 'ping'
      ping: Ping['kind']
      rid: string | null
      exitCode: number | null
      aheadMs: number
    }
  | { kind: 'silence'; aheadMs: number }
  | { kind: 'pause' | 'resume' | 'restart'; aheadMs: number }

const ahead = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 4 * minuteMs }) },
  fc.integer({ min: 0, max: 60 * minuteMs }),
)
const ping: fc.Arbitrary<Move> = fc.record({
  kind: fc.constant('ping' as const),
  ping: fc.constantFrom('start', 'start', 'success', 'success', 'fail', 'log'),
  rid: fc.constantFrom(null, null, 'a', 'b', 'c', 'd'),
  exitCode: fc.constantFrom(null, 1),
  aheadMs: ahead,
})
const silence: fc.Arbitrary<Move> = fc.record({
  kind: fc.constant('silence' as const),
  aheadMs: ahead,
})
const other: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom('pause' as const, 'resume' as const, 'restart' as const),
  aheadMs: ahead,
})
const moves = fc.array(fc.oneof({ weight: 8, arbitrary: ping }, { weight: 4, arbitrary: silence }, other), {
  minLength: 1,
  maxLength: 60,
})
const settings = fc
  .record({
    schedule: fc.constantFrom<object>(
      { periodSeconds: 600 },
      { periodSeconds: 60 },
      { periodSeconds: null, cron: '*/10 * * * *' },
    ),
    graceSeconds: fc.constantFrom(1, 300, 3_600),
    maxRuntimeSeconds: fc.constantFrom(null, 120, 1_800),
  })
  .map(({ schedule, ...clocks }) => settingsOf({ ...schedule, ...clocks }))

type Game = ReturnType<typeof playHeartbeat>

/** Plays the moves and calls `look` around each; silence is checked as often as in the loop. */
const play = (
  game: Game,
  sequence: readonly Move[],
  look: (move: Move, nowMs: number, act: () => void) => void = (_move, _nowMs, act) => act(),
): void => {
  let nowMs = t0
  for (const move of sequence) {
    nowMs += move.aheadMs
    look(move, nowMs, () => {
      game.pass(nowMs)
      if (move.kind === 'ping') {
        const exitCode = move.ping === 'fail' ? move.exitCode : null
        game.ping(nowMs, move.ping, { rid: move.rid, exitCode })
      }
      if (move.kind === 'pause' || move.kind === 'resume') {
        game.definition.paused = move.kind === 'pause'
        game.definition.validFromMs = nowMs
        game.rearm(nowMs)
      }
      if (move.kind === 'restart') game.restart()
    })
  }
}

const runsOf = (options: { numRuns?: number } = {}) => ({ numRuns: options.numRuns ?? 1000 })

describe('for any pings in any order', () => {
  test('silence before the first ping is never down, after any edits', () => {
    const quiet = fc.array(fc.oneof(silence, other), { maxLength: 40 })
    forAll([settings, quiet], runsOf(), (settings, sequence) => {
      const game = playHeartbeat(settings)
      play(game, sequence, (_move, nowMs, act) => {
        act()
        const said = describeHeartbeat(game.state(), game.definition, nowMs)
        expect(['new', 'paused']).toContain(said.state)
      })
      expect([game.flips, game.runs(), game.definition.status]).toEqual([[], [], 'unknown'])
    })
  })

  test('a clock never fires before its deadline', () => {
    forAll([settings, moves], runsOf(), (settings, sequence) => {
      const game = playHeartbeat(settings)
      play(game, sequence, (_move, nowMs, act) => {
        const { deadlineMs } = game
        const before = deadlineMs()
        const changes = game.history.length
        const isDue = before !== null && before <= nowMs
        act()
        const passed = game.history
          .slice(changes)
          .filter(({ outcome, message }) => outcome === 'missed' || message?.includes('max runtime'))
        if (!isDue) expect(passed).toEqual([])
        for (const run of passed) expect(run.finishedAtMs ?? 0).toBeLessThanOrEqual(nowMs)
        const next = deadlineMs()
        if (next !== null) expect(next).toBeGreaterThan(nowMs)
        // looked at too early, nothing happens
        expect(game.lookedAt(nowMs)).toBe(game.state())
      })
    })
  })

  test('three failures in a row hold it down, two successes in a row release it', () => {
    const onStep = (before: HeartbeatState, after: HeartbeatState): void => {
      const failed = after.consecutiveFailures > before.consecutiveFailures
      if (failed) expect(after.consecutiveFailures).toBe(before.consecutiveFailures + 1)
      if (before.health !== 'held_down' && after.health === 'held_down') {
        expect([failed, after.consecutiveFailures]).toEqual([true, failuresToHoldDown])
      }
      if (before.health === 'held_down' && after.health !== 'held_down') {
        expect([after.health, before.consecutiveSuccesses]).toEqual(['up', successesToRelease - 1])
      }
      if (after.health === 'down') {
        expect(after.consecutiveFailures).toBeLessThan(failuresToHoldDown)
      }
    }
    forAll([settings, moves], runsOf(), (settings, sequence) => {
      play(playHeartbeat(settings, { onStep }), sequence)
    })
  })

  test('a run ends at most once and does not change afterwards', () => {
    forAll([settings, moves], runsOf(), (settings, sequence) => {
      const game = playHeartbeat(settings)
      play(game, sequence)
      const ended = new Map<string, string>()
      for (const run of game.history) {
        if (run.finishedAtMs === null) {
          expect(ended.has(run.id)).toBe(false)
          continue
        }
        expect(ended.has(run.id)).toBe(false)
        ended.set(run.id, run.outcome)
        if (run.startedAtMs !== null) {
          expect(run.finishedAtMs).toBeGreaterThanOrEqual(run.startedAtMs)
        }
      }
      const rids = game.runs().filter((run) => run.rid !== null && run.finishedAtMs !== null)
      expect(new Set(rids.map((run) => run.rid)).size).toBe(rids.length)
    })
  })

  test('a restart at any moment changes nothing', () => {
    forAll([settings, moves], runsOf({ numRuns: 500 }), (settings, sequence) => {
      const [plain, restarted] = [playHeartbeat(settings), playHeartbeat(settings)]
      play(plain, sequence)
      play(restarted, sequence, (_move, _nowMs, act) => {
        restarted.restart()
        act()
      })
      expect(restarted.state()).toEqual(plain.state())
      expect(restarted.flips).toEqual(plain.flips)
      expect(restarted.deadlineMs()).toBe(plain.deadlineMs())
      expect(restarted.runs()).toEqual(plain.runs())
    })
  })

  test('flips form a chain and match the state while it is not paused', () => {
    forAll([settings, moves], runsOf(), (settings, sequence) => {
      const game = playHeartbeat(settings)
      play(game, sequence, (_move, _nowMs, act) => {
        const wasPaused = game.definition.paused
        const before = game.flips.length
        act()
        if (wasPaused) expect(game.flips.length).toBe(before)
      })
      for (const [index, flip] of game.flips.entries()) {
        expect(flip.from).toBe(game.flips[index - 1]?.to ?? 'unknown')
        expect(flip.to).not.toBe(flip.from)
        if (flip.to === 'down') expect(flip.reason).toMatch(/^[^\n]{1,300}$/)
      }
    })
  })

  test('our outages never take down a job that pings in time and retries for a minute', () => {
    const outagesArbitrary = fc
      .array(fc.tuple(fc.integer({ min: 1, max: 40 * 60 }), fc.integer({ min: 7, max: 7_200 })), {
        maxLength: 5,
      })
      .map((pairs) => {
        let ms = t0
        return pairs.map(([gapSeconds, seconds]): Outage => {
          const fromMs = ms + gapSeconds * 1000
          ms = fromMs + seconds * 1000
          return { fromMs, toMs: ms }
        })
      })
    forAll([settings, outagesArbitrary], runsOf({ numRuns: 300 }), (settings, outages) => {
      const game = playHeartbeat({ ...settings, graceSeconds: 300 }, { outages })
      const everyMs = settings.periodSeconds === 60 ? minuteMs : 10 * minuteMs
      const firstMs = Math.ceil(t0 / everyMs) * everyMs
      for (let ms = firstMs; ms < firstMs + 600 * minuteMs; ms += everyMs) {
        const outage = outages.find(({ fromMs, toMs }) => ms >= fromMs && ms < toMs)
        const takenMs = outage?.toMs ?? ms
        if (takenMs > ms + clientRetryMs) continue
        game.pass(takenMs)
        game.ping(takenMs)
      }
      expect(game.flips.map(({ to }) => to)).toEqual(['operational'])
    })
  })
})
