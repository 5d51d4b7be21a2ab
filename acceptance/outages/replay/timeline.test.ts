import { describe, expect, it } from 'vitest'
import { compressed, instantsOf, shifted, withoutLongStretches } from '../altered.ts'
import { readWorld } from '../worlds.ts'
import { documentedMs, isRight, judge, majorityOf } from './timeline.ts'

const world = await readWorld('meta-2021')
const at = (time: string): number => Date.parse(`2021-10-04T${time}Z`)

describe('the timeline of a replay', () => {
  it('maps every played instant to its documented one', () => {
    const shorter = compressed(withoutLongStretches(world, 360_000), 6)
    const played = shifted(shorter, at('00:00:00') - shorter.from)
    const back = instantsOf(played).map((ms) => documentedMs(world, played, ms))
    expect(back).toEqual(instantsOf(world))
    const [first = 0, second = 0] = instantsOf(played)
    const [from = 0, until = 0] = instantsOf(world)
    expect(documentedMs(world, played, (first + second) / 2)).toBe((from + until) / 2)
  })

  it.each([
    ['up', 'up', true],
    ['up', 'down', false],
    ['up', 'no_data', false],
    ['down', 'down', true],
    ['down', 'down_in_some_regions', false],
    ['down_in_some_regions', 'down_in_some_regions', true],
    ['down_in_some_regions', 'up', false],
    ['out_of_sight', 'up', true],
    ['out_of_sight', 'down', false],
    ['intermittent', 'down_in_some_regions', true],
    ['intermittent', 'up', false],
    ['intermittent', 'down', false],
    ['intermittent', 'no_data', false],
  ] as const)('the answer %s for %s is right: %s', (truth, status, right) => {
    expect(isRight(truth, status)).toBe(right)
  })

  it.each([
    [[], 'no_data'],
    [[true, true, true, true], 'up'],
    [[true, true, false, false], 'up'],
    [[true, false, false, false], 'down'],
    [[false], 'down'],
  ] as const)('the majority rule gives %j: %s', (probed, status) => {
    expect(majorityOf(probed)).toBe(status)
  })

  it('reports the delay of each answer and the wrong answers after it', () => {
    const slug = 'facebook'
    const answers = [
      ['15:35:00', 'up'],
      ['15:41:00', 'up'],
      ['15:42:00', 'down'],
      ['16:00:00', 'up'],
      ['16:01:00', 'down'],
      ['22:50:00', 'down'],
    ] as const
    const given = answers.map(([time, status]) => ({ atMs: at(time), slug, status, summary: '' }))
    expect(judge(world, given).filter((one) => one.slug === slug)).toMatchObject([
      { truth: 'up', answeredAfterMs: 300_000, answersAfter: 1, wrong: [] },
      {
        truth: 'down',
        answeredAfterMs: 120_000,
        answersAfter: 3,
        wrong: ['up'],
        statuses: { up: 2, down: 2 },
      },
      { truth: 'intermittent', answeredAfterMs: null, answersAfter: 0, wrong: [] },
      { truth: 'up', answeredAfterMs: null, answersAfter: 0, wrong: [] },
    ])
  })
})
