import { describe, expect, test } from 'vitest'
import { describeHeartbeat } from './describe-heartbeat.ts'
import { endOf } from './health.ts'
import { minuteMs, playHeartbeat, settingsOf } from './testing.ts'

const at = (minutes: number): number => Date.parse('2027-06-01T12:00:00.000Z') + minutes * minuteMs
const said = (game: ReturnType<typeof playHeartbeat>, minutes: number) =>
  describeHeartbeat(game.state(), game.definition, at(minutes))

describe('a schedule that ends', () => {
  const once = settingsOf({ periodSeconds: null, onCalendar: '2027-06-01 13,14:00' })

  test('is expected to its last time; after it a good run is unknown, and says why', () => {
    const game = playHeartbeat(once)
    game.ping(at(61))
    expect([game.definition.status, said(game, 62).statusReason]).toEqual(['operational', null])
    game.ping(at(119.5), 'start')
    game.ping(at(120.5), 'start')
    expect(game.definition.status).toBe('operational')
    game.ping(at(121))
    const reason = 'the schedule has ended: no ping is expected any more'
    expect(game.flips.at(-1)).toEqual({ from: 'operational', to: 'unknown', reason, atMs: at(121) })
    expect(said(game, 1e6)).toMatchObject({ nextExpectedAt: null, statusReason: reason })
    expect(game.deadlineMs()).toBeNull()
  })

  test('is down for good when its last run was missed or failed, and a later good run is unknown', () => {
    const game = playHeartbeat(once)
    game.ping(at(61))
    expect(game.pass(at(125))).toBe(1)
    expect([game.definition.status, said(game, 1e6).statusReason]).toEqual([
      'down',
      'no ping came by 2027-06-01T14:00:00Z and 5 min of grace',
    ])
    game.ping(at(130), 'fail')
    expect(game.definition.status).toBe('down')
    game.ping(at(140))
    expect(game.definition.status).toBe('unknown')
    game.ping(at(150), 'fail')
    expect(game.definition.status).toBe('down')
  })

  test.each([
    { periodSeconds: 600 },
    { periodSeconds: null, cron: '0 * * * *' },
    { periodSeconds: null, onCalendar: 'hourly' },
  ])('is none of %j', (more) => {
    const game = playHeartbeat(settingsOf(more))
    game.ping(at(0))
    expect(game.definition.status).toBe('operational')
  })

  test('that a check is changed to makes a good run unknown at once, unless it is paused or not operational', () => {
    const game = playHeartbeat(settingsOf())
    game.ping(at(121))
    const flip = (more: object) =>
      endOf(game.state(), { ...game.definition, settings: once, ...more }, at(130))
    expect(flip({})).toMatchObject({ from: 'operational', to: 'unknown', atMs: at(130) })
    expect([{ paused: true }, { status: 'unknown' }, { settings: settingsOf() }].map(flip)).toEqual([
      null,
      null,
      null,
    ])
  })
})
