import { afterAll, describe, expect, test } from 'vitest'
import { weaknessOf } from './estimate.ts'
import { createPasswordEstimator } from './estimator.ts'

const own = ['ada.lovelace@example.org', 'Analytical Engines']
const judge = (password: string) => weaknessOf({ password, own })
const estimator = createPasswordEstimator()
afterAll(() => estimator.close())

describe('refused', () => {
  test.each([
    ['password1234', 'is a very common password, or similar to one. Use four unrelated words.'],
    ['123456789012', 'is a very common password, or similar to one. Use four unrelated words.'],
    ['aaaaaaaaaaaa', 'repeats the same characters. Use four unrelated words.'],
    ['a'.repeat(200), 'repeats the same characters. Use four unrelated words.'],
    ['abcabcabcabc', 'repeats the same characters. Use four unrelated words.'],
    [
      'ada.lovelace@example.org',
      'contains your e-mail address or your account name. Use four unrelated words.',
    ],
    [
      'AnalyticalEngines',
      'contains your e-mail address or your account name. Use four unrelated words.',
    ],
  ])('%s', (password, problem) => {
    expect(judge(password)).toBe(problem)
  })

  test.each(['qwertyuiop12', 'Passw0rd!2024', 'iloveyou1234', 'lovelace1815', 'zxcvbnm,./12'])(
    '%s',
    (password) => {
      expect(judge(password)).toContain('Use four unrelated words.')
    },
  )
})

test.each([
  'correct horse battery',
  'violet kettle orbit cactus',
  'kQ3vLp0zRt7wXe',
  '\u{1f600} caf\u00e9 de la gare du nord',
  // what the operator's command makes
  'Xb3kq9Zt_Wm2-Lp7Rv1c',
])('accepted: %s', (password) => {
  expect(judge(password)).toBeNull()
})

test('a long password is estimated by its beginning, to limit the time', () => {
  expect(judge(`violet kettle orbit cactus ${'aA1!'.repeat(40)}`)).toBeNull()
})

test('estimates do not block the event loop', async () => {
  let turns = 0
  const turn = setInterval(() => (turns += 1), 1)
  const hard = '4@8({[<369&#!1|70$5+%2/'.repeat(4)
  const [first, second] = await Promise.all([
    estimator.weaknessOf('a network', { password: hard, own }),
    estimator.weaknessOf('another', { password: 'password1234', own }),
  ])
  clearInterval(turn)
  expect(first).toEqual({ weak: null })
  expect(second).toEqual({ weak: expect.stringContaining('very common') })
  expect(turns).toBeGreaterThan(0)
})

test('a flood of one network is refused beyond its share, and another has the next turn', async () => {
  const ended: string[] = []
  const ask = async (owner: string) => {
    const answer = await estimator.weaknessOf(owner, { password: 'password1234', own })
    ended.push(answer === 'busy' ? 'busy' : owner)
  }
  await Promise.all([...Array.from({ length: 20 }, () => ask('the flood')), ask('somebody')])
  expect(ended.filter((each) => each === 'busy').length).toBeGreaterThan(10)
  expect(ended.filter((each) => each !== 'busy').indexOf('somebody')).toBeLessThanOrEqual(1)
})

test('a new thread starts after the previous one ended', async () => {
  await estimator.close()
  expect(await estimator.weaknessOf('one', { password: 'password1234', own })).toEqual({
    weak: expect.any(String),
  })
})
