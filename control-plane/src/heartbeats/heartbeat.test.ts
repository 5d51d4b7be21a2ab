import { describe, expect, test } from 'vitest'
import { describeHeartbeat, describeRun, heartbeatStatus } from './describe-heartbeat.ts'
import { observeDeadline } from './heartbeat.ts'
import { openRunsMax } from './state.ts'
import { minuteMs, playHeartbeat, settingsOf } from './testing.ts'

const t0 = Date.parse('2027-06-01T12:00:00.000Z')
const at = (minutes: number): number => t0 + minutes * minuteMs
const runs = { maxRuntimeSeconds: 1800 }
type Game = ReturnType<typeof playHeartbeat>
const said = (game: Game, minutes: number) => describeHeartbeat(game.state(), game.definition, at(minutes))
const rid = '6f0a5a52-5f1c-4a32-9b86-52b2a1a5a001'
const outcomes = (game: Game) => game.runs().map(({ outcome }) => outcome)

describe('the schedule', () => {
  test('without a first ping it is new, has no deadline and is never down', () => {
    const game = playHeartbeat(settingsOf())
    expect(game.deadlineMs()).toBeNull()
    game.rearm(at(0))
    expect(game.pass(at(1e6))).toBe(0)
    expect(said(game, 1e6)).toMatchObject({
      state: 'new',
      lastPingAt: null,
      statusReason: 'no ping yet',
    })
    expect([game.flips, game.definition.status]).toEqual([[], 'unknown'])
  })

  test('it is up, late within the grace period, and down exactly at its end', () => {
    const game = playHeartbeat(settingsOf())
    game.ping(at(0))
    expect(game.deadlineMs()).toBe(at(15))
    expect([said(game, 9.9).state, said(game, 10).state, said(game, 14.9).state]).toEqual([
      'up',
      'late',
      'late',
    ])
    expect(said(game, 10).statusReason).toBe(
      'late: a ping was expected at 2027-06-01T12:10:00Z, and the grace period has not ended',
    )
    expect(game.definition.status).toBe('operational')
    expect(game.pass(at(15) - 1)).toBe(0)
    expect(game.pass(at(15))).toBe(1)
    const reason = 'no ping came by 2027-06-01T12:10:00Z and 5 min of grace'
    expect(game.flips).toEqual([
      { from: 'unknown', to: 'operational', reason: null, atMs: at(0) },
      { from: 'operational', to: 'down', reason, atMs: at(15) },
    ])
    expect(game.runs().at(-1)).toMatchObject({
      outcome: 'missed',
      startedAtMs: null,
      finishedAtMs: at(15),
      message: reason,
    })
    expect(said(game, 16)).toMatchObject({
      state: 'down',
      consecutiveFailures: 1,
      statusReason: reason,
    })
  })

  test('late is operational, and a ping within the grace period leaves no trace', () => {
    const game = playHeartbeat(settingsOf())
    game.ping(at(0))
    game.ping(at(14.99))
    expect(game.deadlineMs()).toBe(at(14.99) + 15 * minuteMs)
    expect([game.flips.length, outcomes(game)]).toEqual([1, ['success', 'success']])
  })

  test('a start counts as a ping', () => {
    const game = playHeartbeat(settingsOf())
    game.ping(at(0))
    game.ping(at(9), 'start')
    expect(game.deadlineMs()).toBe(at(24))
    expect(said(game, 10).state).toBe('running')
  })

  test('a deadline stays the same after any downtime', () => {
    const game = playHeartbeat(settingsOf())
    game.ping(at(0))
    game.restart()
    game.pass(at(16))
    expect(game.flips.at(-1)).toMatchObject({ to: 'down', atMs: at(15) })
  })

  test('cron: pings are expected at its times, and an early one is explained', () => {
    const game = playHeartbeat(settingsOf({ periodSeconds: null, cron: '0 * * * *' }))
    game.ping(at(-1))
    expect(game.deadlineMs()).toBe(at(5))
    game.pass(at(5))
    expect(game.flips.at(-1)?.reason).toBe(
      'no ping came by 2027-06-01T12:00:00Z and 5 min of grace; the last one came 1 min before that time',
    )
    expect(game.deadlineMs()).toBe(at(65))
  })

  test('an edit or resume starts the grace period', () => {
    const game = playHeartbeat(settingsOf())
    game.ping(at(0))
    game.definition.validFromMs = at(60)
    game.rearm(at(60))
    expect(game.deadlineMs()).toBe(at(65))
  })
})

describe('failures', () => {
  test.each([
    ['fail', null, 'the job reported a failure'],
    ['fail', 3, 'the job ended with exit code 3'],
  ] as const)('%s with exit code %s is down at once, and the next success up', (kind, exitCode, reason) => {
    const game = playHeartbeat(settingsOf())
    game.ping(at(0), kind, { exitCode, message: 'disk full on 10.0.0.7' })
    expect(game.flips).toEqual([{ from: 'unknown', to: 'down', reason, atMs: at(0) }])
    expect(game.runs()[0]).toMatchObject({
      outcome: 'failure',
      exitCode,
      message: 'disk full on 10.0.0.7',
    })
    game.ping(at(1))
    expect(game.flips.at(-1)).toMatchObject({ to: 'operational', reason: null })
    expect(said(game, 1)).toMatchObject({
      state: 'up',
      consecutiveFailures: 0,
      statusReason: null,
    })
  })

  test('three in a row hold it down until two good runs in a row', () => {
    const game = playHeartbeat(settingsOf())
    for (const minute of [0, 1]) game.ping(at(minute), 'fail')
    expect(said(game, 1)).toMatchObject({ state: 'down', heldDown: false })
    game.ping(at(2), 'fail')
    expect(said(game, 2)).toMatchObject({
      state: 'held_down',
      heldDown: true,
      consecutiveFailures: 3,
    })
    expect(said(game, 2).statusReason).toMatch(/; held down until 2 good runs in a row$/)
    game.ping(at(3))
    game.ping(at(4), 'fail')
    game.ping(at(5))
    expect(game.definition.status).toBe('down')
    game.ping(at(6))
    expect(said(game, 6)).toMatchObject({ state: 'up', heldDown: false, consecutiveFailures: 0 })
    expect(game.flips.map(({ to }) => to)).toEqual(['down', 'operational'])
  })

  test('missed runs count as failures', () => {
    const game = playHeartbeat(settingsOf())
    game.ping(at(0))
    expect(game.pass(at(36))).toBe(3)
    expect(
      game
        .runs()
        .slice(1)
        .map((run) => run.finishedAtMs),
    ).toEqual([at(15), at(25), at(35)])
    expect([said(game, 36).state, game.flips.length]).toEqual(['held_down', 2])
  })

  test('a log is stored and changes nothing', () => {
    const game = playHeartbeat(settingsOf())
    game.ping(at(0), 'log', { message: 'hello' })
    expect([said(game, 0).state, game.deadlineMs(), game.runs()]).toEqual(['new', null, []])
    game.ping(at(1), 'start')
    const before = game.state()
    game.ping(at(2), 'log', { message: 'half way' })
    expect(game.state()).toBe(before)
    expect(game.runs()).toMatchObject([{ outcome: 'running', message: 'half way' }])
    game.ping(at(3))
    expect(game.runs()).toMatchObject([{ outcome: 'success', message: 'half way' }])
  })
})

describe('runs', () => {
  test('a start and its end make one run with a duration', () => {
    const game = playHeartbeat(settingsOf(runs))
    game.ping(at(0), 'start')
    expect(game.definition.status).toBe('unknown')
    game.ping(at(4), 'success', { exitCode: 0 })
    expect(game.runs().map(describeRun)).toEqual([
      {
        id: 'run 1',
        startedAt: '2027-06-01T12:00:00.000Z',
        finishedAt: '2027-06-01T12:04:00.000Z',
        outcome: 'success',
        durationMs: 4 * minuteMs,
        stuck: false,
        exitCode: 0,
        message: null,
      },
    ])
  })

  test('beyond its max runtime a run is stuck and a failure, and can still end', () => {
    const game = playHeartbeat(settingsOf(runs))
    game.ping(at(0))
    game.ping(at(5), 'start')
    // the schedule does not count while the run is inside its max runtime
    expect(game.deadlineMs()).toBe(at(35))
    expect(game.pass(at(35) - 1)).toBe(0)
    game.pass(at(35))
    expect(game.runs().at(-1)).toMatchObject({ outcome: 'stuck', stuck: true, finishedAtMs: null })
    expect(game.flips.at(-1)).toMatchObject({
      to: 'down',
      atMs: at(35),
      reason: 'the job did not end within its max runtime of 30 min',
    })
    expect([said(game, 36).state, game.deadlineMs()]).toEqual(['down', at(50)])
    game.ping(at(40))
    expect(game.runs().at(-1)).toMatchObject({
      outcome: 'success',
      stuck: true,
      finishedAtMs: at(40),
    })
    expect(said(game, 40).state).toBe('up')
  })

  test('without a max runtime no run gets stuck, and a later one replaces it', () => {
    const game = playHeartbeat(settingsOf({ periodSeconds: 86_400 }))
    game.ping(at(0), 'start')
    game.ping(at(700), 'start')
    game.ping(at(710))
    expect(game.runs().map(({ outcome, stuck }) => [outcome, stuck])).toEqual([
      ['stuck', true],
      ['success', false],
    ])
    expect([game.state().open, game.flips.map(({ to }) => to)]).toEqual([[], ['operational']])
  })

  test('overlapping runs are distinguished by id; without an id the latest counts', () => {
    const game = playHeartbeat(settingsOf(runs))
    const other = rid.replace('a001', 'a002')
    game.ping(at(0), 'start', { rid })
    game.ping(at(1), 'start', { rid: other })
    game.ping(at(2), 'start')
    game.ping(at(3), 'start')
    game.ping(at(4), 'success', { rid })
    game.ping(at(5))
    game.ping(at(6), 'fail', { rid: other })
    expect(game.runs().map((run) => [run.startedAtMs, run.finishedAtMs, run.outcome])).toEqual([
      [at(0), at(4), 'success'],
      [at(1), at(6), 'failure'],
      [at(2), null, 'running'],
      [at(3), at(5), 'success'],
    ])
  })

  test('a repeated start or end of a run id changes nothing', () => {
    const game = playHeartbeat(settingsOf(runs))
    game.ping(at(0), 'start', { rid })
    game.ping(at(1), 'start', { rid })
    game.ping(at(2), 'fail', { rid })
    const before = game.state()
    game.ping(at(3), 'fail', { rid })
    game.ping(at(3), 'success', { rid })
    game.ping(at(4), 'start', { rid })
    expect(game.state()).toBe(before)
    expect(game.runs()).toMatchObject([{ startedAtMs: at(0), finishedAtMs: at(2), outcome: 'failure' }])
  })

  test('beyond the limit of open runs the oldest is abandoned', () => {
    const game = playHeartbeat(settingsOf(runs))
    for (let n = 0; n <= openRunsMax; n++) game.ping(at(0) + n, 'start', { rid: `rid ${n}` })
    expect(game.state().open).toHaveLength(openRunsMax)
    expect(game.runs().filter(({ stuck }) => stuck)).toMatchObject([{ rid: 'rid 0' }])
    expect(game.flips).toEqual([])
  })

  test('a delayed ping ends its run and does not change the current state', () => {
    const game = playHeartbeat(settingsOf(runs))
    game.ping(at(0), 'start', { rid })
    game.ping(at(5))
    game.ping(at(1), 'fail', { rid })
    expect(game.runs()).toMatchObject([{ finishedAtMs: at(1), outcome: 'failure' }, { outcome: 'success' }])
    expect([game.state().lastPingAtMs, game.definition.status]).toEqual([at(5), 'operational'])
    // a difference of clocks is no delay
    game.ping(at(5) - 4_000, 'fail')
    expect(game.flips.at(-1)).toMatchObject({ to: 'down', atMs: at(5) })
  })
})

describe('paused', () => {
  test('pings are recorded, and neither they nor silence change the status', () => {
    const game = playHeartbeat(settingsOf())
    game.ping(at(0))
    game.definition.paused = true
    game.ping(at(1), 'fail')
    expect(game.pass(at(1) + 50 * minuteMs)).toBe(0)
    expect(said(game, 100)).toMatchObject({ state: 'paused', consecutiveFailures: 0 })
    expect(said(game, 100).lastPingAt).toBe(new Date(at(1)).toISOString())
    expect([game.flips.length, outcomes(game)]).toEqual([1, ['success', 'failure']])
    expect(heartbeatStatus(game.definition)).toBe('unknown')
  })

  test('earlier knowledge does not count after it, until a run ends or a ping is missed', () => {
    for (const before of ['success', 'fail'] as const) {
      for (const after of ['success', 'fail', null] as const) {
        const game = playHeartbeat(settingsOf())
        for (const minute of [0, 1, 2]) game.ping(at(minute), before)
        game.definition.paused = true
        game.rearm(at(3))
        expect(game.flips.at(-1)).toMatchObject({ to: 'unknown', atMs: at(3) })
        expect(said(game, 4)).toMatchObject({ state: 'paused', heldDown: false, consecutiveFailures: 0 })
        game.definition.paused = false
        game.definition.validFromMs = at(60)
        game.rearm(at(60))
        expect(said(game, 60)).toMatchObject({
          state: 'new',
          statusReason: 'no run has ended since it was resumed',
        })
        if (after === null) game.pass(at(65))
        else {
          // a start shows only that the job runs
          game.ping(at(61), 'start')
          expect(game.definition.status).toBe('unknown')
          game.ping(at(62), after)
        }
        expect(game.definition.status).toBe(after === 'success' ? 'operational' : 'down')
        expect(said(game, 66).state).toBe(after === 'success' ? 'up' : 'down')
      }
    }
  })

  test('one that was never pinged makes no flip', () => {
    const game = playHeartbeat(settingsOf())
    game.definition.paused = true
    game.rearm(at(3))
    game.definition.paused = false
    game.rearm(at(4))
    expect([game.flips, said(game, 5).statusReason]).toEqual([[], 'no ping yet'])
  })

  test('after resuming it is checked within a minute and gets its grace period', () => {
    const game = playHeartbeat(settingsOf())
    game.ping(at(0))
    game.definition.paused = true
    game.pass(at(60))
    expect(game.deadlineMs()).toBe(at(61))
    game.definition.paused = false
    game.definition.validFromMs = at(60.5)
    expect(game.pass(at(61))).toBe(0)
    expect(game.deadlineMs()).toBe(at(65.5))
  })
})

describe('while no control plane received pings', () => {
  const away = (from: number, to: number) => ({ outages: [{ fromMs: at(from), toMs: at(to) }] })

  test('an hour across the deadline is no failure: the next ping decides', () => {
    const game = playHeartbeat(settingsOf(), away(5, 65))
    game.ping(at(0))
    expect(game.pass(at(65.1))).toBe(1)
    expect([game.flips.length, outcomes(game)]).toEqual([1, ['success']])
    expect(game.deadlineMs()).toBe(at(80))
    game.pass(at(80))
    expect(game.flips.at(-1)).toMatchObject({ to: 'down', atMs: at(80) })
  })

  test('half a minute moves the deadline by half a minute', () => {
    const game = playHeartbeat(settingsOf(), away(11, 11.5))
    game.ping(at(0))
    expect(game.pass(at(15.4))).toBe(0)
    game.pass(at(15.5))
    expect(game.flips.at(-1)).toMatchObject({ to: 'down', atMs: at(15.5) })
  })

  test('a run whose end may be lost is stuck, and no failure', () => {
    const game = playHeartbeat(settingsOf(runs), away(10, 20))
    game.ping(at(0))
    game.ping(at(5), 'start')
    expect(game.pass(at(35) - 1)).toBe(0)
    game.pass(at(35))
    expect(game.runs().at(-1)).toMatchObject({
      outcome: 'stuck',
      message: 'no end was received, but for part of the time no ping could be received',
    })
    expect([game.flips.length, game.deadlineMs()]).toEqual([1, at(50)])
  })

  test('earlier deadlines fire as usual', () => {
    const game = playHeartbeat(settingsOf(), away(15, 70))
    game.ping(at(0))
    game.pass(at(70))
    expect(game.flips.at(-1)).toMatchObject({ to: 'down', atMs: at(15) })
  })
})

test('a heartbeat without a deadline is skipped', () => {
  const { state, definition } = playHeartbeat(settingsOf())
  const step = observeDeadline(state(), definition, { outages: [], runId: 'none' }, at(0))
  expect(step).toEqual({ state: state(), runs: [], flip: null, nextDeadlineMs: null })
})
