import fc from 'fast-check'
import { readFile } from 'node:fs/promises'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { accept, describeVerdict, judge, type Accepted, type AcceptedRatios } from './judge.ts'
import { gateRatios, type RatioName } from './ratios.ts'

const accepted: Accepted = { figure: 2, limit: 2.5, commit: 'aaa1111', date: '2026-11-29' }
const measured = { get_check: 2, is_service_down: 2, tools_call: 2, http_check: 2, agent_to_stored: 2 }

test.each([
  [2.5, 'within'],
  [2.51, 'worse'],
  [Number.NaN, 'worse'],
  [1.6, 'within'],
  [1.59, 'better'],
])('%d beside an accepted 2 is %s', (figure, verdict) => expect(judge(figure, accepted)).toBe(verdict))

test('a ratio without a limit is new', () => expect(judge(1, undefined)).toBe('new'))

test('accepts what left its limits, and leaves the other limits alone', () => {
  const at = { commit: 'bbb2222', date: '2026-11-30' }
  const before = {
    get_check: accepted,
    is_service_down: accepted,
    tools_call: accepted,
    http_check: accepted,
  }
  const ratios = { ...measured, get_check: 2.4, is_service_down: 3.0004, tools_call: 1 }
  expect(accept(before, ratios, at)).toEqual({
    ...before,
    is_service_down: { figure: 3, limit: 3.75, ...at },
    tools_call: { figure: 1, limit: 1.25, ...at },
    agent_to_stored: { figure: 2, limit: 2.5, ...at },
  })
})

test('whatever is accepted is within its limit', () => {
  const ratio = fc.double({ min: 0.1, max: 1_000, noNaN: true })
  forAll([ratio], (value) => {
    const { get_check } = accept({}, { ...measured, get_check: value }, { commit: null, date: '' })
    expect(judge(value, get_check)).toBe('within')
  })
})

const describeCheck = (figure: number, commits: Parameters<typeof describeVerdict>[3]) =>
  describeVerdict('http_check', figure, accepted, commits)

test('names ratio, figure, limit and the commits to look at where a ratio is above its limit', () => {
  const newest = ['ccc3333 2026-11-30 agent: slower', 'bbb2222 2026-11-30 agent: more']
  expect(describeCheck(3.2718, { newest, count: 9 })).toBe(
    [
      'http_check: an http check costs 3.27 times the CPU of a raw socket; the limit is 2.5, a quarter above the 2 of 2026-11-29 at aaa1111. ' +
        'Commits since then that change probe-agent, contracts, check-types, runtime, package-lock.json, newest first:',
      '  ccc3333 2026-11-30 agent: slower',
      '  bbb2222 2026-11-30 agent: more',
      '  and 7 older',
    ].join('\n'),
  )
  expect(describeCheck(3, null)).toMatch(/limit is 2.5.*This clone does not have the commits since then/)
  expect(describeCheck(3, { newest: [], count: 0 })).toContain('No commit since then changes probe-agent')
})

test('reports a ratio that became a quarter better, and none within its limits', () => {
  expect(describeCheck(1, null)).toMatch(
    /^http_check: .* costs 1.00 .* a quarter less than the 2 of .*tighten/,
  )
  expect(describeCheck(2.5, null)).toBeNull()
  expect(describeVerdict('http_check', 1, undefined, null)).toContain('no limit yet')
})

test('each limit in bench/gate.json is at most a quarter above its figure', async () => {
  const text = await readFile(new URL('../../gate.json', import.meta.url), 'utf8')
  const tracked = JSON.parse(text) as AcceptedRatios
  for (const name of Object.keys(tracked) as RatioName[]) {
    const { figure = 0, limit = Number.NaN } = tracked[name] ?? {}
    expect(Object.keys(gateRatios)).toContain(name)
    expect(limit).toBeLessThan(figure * 1.26)
  }
})
