import { describe, expect, it } from 'vitest'
import { worldProblems } from './world-problems.ts'
import { World, type World as ParsedWorld } from './world.ts'

const day = '2020-02-02T'
const sound = () => ({
  title: 'A made-up outage',
  from: `${day}10:00:00Z`,
  until: `${day}12:00:00Z`,
  sources: { blog: { publisher: 'A vendor', title: 'A report', url: 'https://example.com/' } },
  facts: [
    { id: 'begins', at: `${day}10:30:00Z`, what: 'It begins.', where: ['fra'], source: 'blog' },
    {
      id: 'spreads',
      at: `${day}11:00:00Z`,
      what: 'It spreads.',
      where: 'everywhere',
      source: 'blog',
    },
  ],
  services: [{ slug: 'shop', host: 'www.shop.example', zone: 'shop.example', facts: ['begins'] }],
  conditions: [
    {
      from: `${day}10:30:00Z`,
      until: `${day}11:00:00Z`,
      services: ['shop'],
      regions: ['fra'],
      fails: 'refused',
      facts: ['begins'],
    },
    {
      from: `${day}11:00:00Z`,
      until: `${day}11:30:00Z`,
      services: ['shop'],
      fails: 'http',
      status: 503,
      facts: ['spreads'],
    },
  ],
  truth: [
    {
      services: ['shop'],
      intervals: [
        { until: `${day}10:30:00Z`, answer: 'up' },
        { until: `${day}11:00:00Z`, answer: 'down_in_some_regions', facts: ['begins'] },
        { until: `${day}11:30:00Z`, answer: 'down', facts: ['spreads'] },
        { until: `${day}12:00:00Z`, answer: 'up' },
      ],
    },
  ],
  atFault: { kind: 'none', name: null, why: 'One service alone.' },
  noticed: [{ at: `${day}10:40:00Z`, what: 'People see it.', source: 'blog' }],
  notFound: [],
})

type Draft = ReturnType<typeof sound>
const parsed = (change: (draft: Draft) => void): ParsedWorld => {
  const draft = sound()
  change(draft)
  return World.parse(draft)
}
const first = <T>(all: readonly T[]): T => {
  const [one] = all
  if (one === undefined) throw new Error('the list is empty')
  return one
}

describe('a world', () => {
  it('is valid if every part follows from a fact', () => {
    expect(worldProblems(parsed(() => undefined))).toEqual([])
  })

  it.each<[string, (draft: Draft) => void, RegExp]>([
    ['a fact without a source', (w) => void (first(w.facts).source = 'rumour'), /no source rumour/],
    [
      'a source that nothing cites',
      (w) => void Object.assign(w.sources, { spare: w.sources.blog }),
      /no fact cites the source spare/,
    ],
    [
      'a condition without a fact',
      (w) => void (first(w.conditions).facts = ['guess']),
      /there is no fact guess/,
    ],
    [
      'a truth without a fact',
      (w) => void Object.assign(first(w.truth).intervals[2] ?? {}, { facts: [] }),
      /cites no fact/,
    ],
    ['facts out of order', (w) => void (w.facts = w.facts.toReversed()), /facts: .* earlier/],
    [
      'conditions out of order',
      (w) => void (w.conditions = w.conditions.toReversed()),
      /conditions: .* earlier/,
    ],
    [
      'a condition that ends before it begins',
      (w) => void (first(w.conditions).until = `${day}10:20:00Z`),
      /ends before it begins/,
    ],
    [
      'a condition outside of the world',
      (w) => void Object.assign(w.conditions[1] ?? {}, { until: `${day}13:00:00Z` }),
      /not within the world/,
    ],
    ['a truth that ends early', (w) => void first(w.truth).intervals.pop(), /does not cover the whole world/],
    ['a service without a truth', (w) => void (first(w.services).slug = 'store'), /no truth names store/],
    [
      'a condition without an observer',
      (w) => void (first(w.conditions).regions = ['nrt']),
      /no fact says that it was seen there/,
    ],
    [
      'a truth that contradicts the play',
      (w) => void Object.assign(first(w.truth).intervals[2] ?? {}, { answer: 'up' }),
      /the conditions play another one/,
    ],
    [
      'a truth out of sight without a reason',
      (w) =>
        void Object.assign(first(first(w.truth).intervals), {
          answer: 'out_of_sight',
          facts: ['begins'],
        }),
      /gives no reason/,
    ],
    [
      'two conditions of one layer at once',
      (w) =>
        void w.conditions.push({
          ...first(w.conditions),
          from: `${day}10:40:00Z`,
          fails: 'unroutable',
        }),
      /both affect one layer/,
    ],
  ])('refuses %s', (_, change, problem) => {
    expect(worldProblems(parsed(change)).join('\n')).toMatch(problem)
  })

  it('refuses a status without a response, and partial failures of names', () => {
    const withChange = (change: object) => {
      const draft = sound()
      Object.assign(first(draft.conditions), change)
      return World.safeParse(draft).success
    }
    expect(withChange({ status: 503 })).toBe(false)
    expect(withChange({ fails: 'http' })).toBe(false)
    expect(withChange({ fails: 'names_silent', share: 0.5 })).toBe(false)
    expect(withChange({ fails: 'refused', share: 0.5 })).toBe(true)
  })
})
