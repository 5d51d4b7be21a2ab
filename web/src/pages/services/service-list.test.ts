import { plateLevels } from '@probe-mesh/contracts/outage/answers'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import {
  chosen,
  countsOf,
  groupsOf,
  listChoice,
  queryOfChoice,
  worstFirst,
  type Listed,
} from './service-list.ts'

const service = (slug: string, more: Partial<Listed> = {}): Listed => ({
  slug,
  name: slug,
  category: 'work',
  domains: [`${slug}.example`],
  level: 'up',
  shows: 'works',
  probes: [],
  factors: [],
  measuredAt: null,
  ...more,
})

const all = [
  service('github', { name: 'GitHub', category: 'code_hosting', domains: ['github.com'] }),
  service('npm', { category: 'registry', level: 'down' }),
  service('stripe', { category: 'payments', level: 'no_data' }),
]

test.each([
  ['', ['github', 'npm', 'stripe']],
  ['q=GITHUB.com', ['github']],
  ['q=package+registries', ['npm']],
  ['q=np+example', ['npm']],
  ['q=np+github', []],
  ['level=down', ['npm']],
  ['level=worse', ['github', 'npm', 'stripe']],
  ['category=payments', ['stripe']],
  ['category=payments&level=up', []],
  ['q=%20', ['github', 'npm', 'stripe']],
  ['q=.*', []],
])('an address with %j asks for %j', (query, slugs) => {
  const found = chosen(all, listChoice(new URLSearchParams(query)))
  expect(found.map(({ slug }) => slug)).toEqual(slugs)
})

test('a filter keeps its words, and its query is no longer than needed', () => {
  const query = new URLSearchParams('q=a%26b&level=down&page=7&x=y')
  expect(queryOfChoice(listChoice(query))).toEqual({ q: 'a&b', level: 'down' })
  expect(listChoice(new URLSearchParams({ q: 'x'.repeat(200) })).q).toHaveLength(100)
})

const anyService = fc.record({
  slug: fc.stringMatching(/^[a-z]{1,4}$/),
  category: fc.constantFrom('work', 'ci', 'something_new'),
  level: fc.constantFrom(...plateLevels),
})

test('services that are not up come first, worst first, and each is listed once', () => {
  forAll([fc.uniqueArray(anyService, { selector: ({ slug }) => slug })], (given) => {
    const services = given.map(({ slug, ...more }) => service(slug, more))
    const sorted = worstFirst(services)
    expect(sorted.map(({ slug }) => slug).toSorted()).toEqual(services.map(({ slug }) => slug).toSorted())
    const ranks = sorted.map(({ level }) => plateLevels.indexOf(level))
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
    const groups = groupsOf(sorted)
    expect(groups.flatMap((group) => group.services)).toEqual(sorted)
    expect(new Set(groups.map(({ key }) => key)).size).toBe(groups.length)
    for (const { isUp, services } of groups) {
      for (const { level } of services) expect(level === 'up').toBe(isUp)
    }
    expect(countsOf(services).reduce((sum, { count }) => sum + count, 0)).toBe(services.length)
  })
})
