import { describe, expect, test } from 'vitest'
import { parseAllowList } from '../target/address.ts'
import { expectedAssertions } from './catalog.ts'
import { parseCatalog } from './parse-catalog.ts'

const github = {
  slug: 'github',
  name: 'GitHub',
  aliases: ['gh'],
  domains: ['github.com'],
  category: 'code_hosting',
  probes: [{ url: 'https://api.github.com/rate_limit' }],
}
const gitlab = {
  ...github,
  slug: 'gitlab',
  name: 'GitLab',
  aliases: ['gl'],
  domains: ['gitlab.com'],
}
const stack = {
  id: 'f7c1d27e-6a5a-4c5e-8a0a-0c6d5f7a1b11',
  slug: 'code',
  name: 'Code',
  description: 'Where code lives.',
  members: ['github', 'gitlab'],
}

const file = (...services: object[]) => ({ stacks: [], services })
const problems = (value: unknown): string[] => {
  const parsed = parseCatalog(value)
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`)
}

test('defaults the fields of a service to null and the expectation of a probe to 2xx', () => {
  const parsed = parseCatalog({ stacks: [stack], services: [github, gitlab] })
  expect(parsed).toMatchObject({
    ok: true,
    catalog: {
      stacks: [{ slug: 'code' }],
      services: [
        {
          slug: 'github',
          cdn: null,
          cloud: null,
          cloudRegion: null,
          dns: null,
          statusPage: null,
          probes: [{ name: null, expect: {} }],
        },
        { slug: 'gitlab' },
      ],
    },
  })
})

test('an expectation becomes assertions of the assignment', () => {
  const status = { statusMin: 401, statusMax: 401 }
  const json = { jsonPath: 'ok', jsonOp: 'equals', jsonValue: 'false' } as const
  expect(expectedAssertions({ expect: { ...status, ...json } })).toMatchObject({
    assertionStatusMin: 401,
    assertionStatusMax: 401,
    assertionBodyOp: null,
    assertionJsonPath: 'ok',
    assertionJsonValue: 'false',
  })
})

describe('a service is refused for', () => {
  test.each<[string, object, string]>([
    ['a slug in capitals', { slug: 'GitHub' }, 'services[0].slug'],
    ['a slug with two hyphens', { slug: 'git--hub' }, 'services[0].slug'],
    ['a blank name', { name: ' ' }, 'services[0].name'],
    ['a name without letters', { name: '!?' }, 'services[0].name'],
    ['an alias without letters', { aliases: ['gh', '-'] }, 'services[0].aliases[1]'],
    ['a domain with www', { domains: ['www.github.com'] }, 'services[0].domains[0]'],
    ['a domain in capitals', { domains: ['GitHub.com'] }, 'services[0].domains[0]'],
    ['a domain of one label', { domains: ['github'] }, 'services[0].domains[0]'],
    ['an address as domain', { domains: ['10.0.0.1'] }, 'services[0].domains[0]'],
    ['a URL as domain', { domains: ['https://github.com'] }, 'services[0].domains[0]'],
    ['a category outside the set', { category: 'misc' }, 'services[0].category'],
    ['no probe', { probes: [] }, 'services[0].probes'],
    ['three probes', { probes: Array(3).fill(github.probes[0]) }, 'services[0].probes'],
    ['a region without its cloud', { cloudRegion: 'us-east-1' }, 'services[0].cloudRegion'],
    ['a cloud that is no slug', { cloud: 'Amazon Web Services' }, 'services[0].cloud'],
    ['a status page that is no URL', { statusPage: 'githubstatus.com' }, 'services[0].statusPage'],
    ['an unknown field', { region: 'fra' }, 'services[0].region'],
  ])('%s', (_, more, path) => {
    const said = problems(file({ ...github, ...more }))
    expect(said).toHaveLength(1)
    expect(said[0]).toMatch(new RegExp(`^${path.replaceAll(/[[\]]/g, '\\$&')}: `))
  })

  test.each([
    'http://10.0.0.1/',
    'http://localhost/',
    'http://printer.local/',
    'ftp://github.com/',
    'https://user@github.com/',
    'https://github.com:22/',
    'github.com',
  ])('the probe %s, which is not a public target', (url) => {
    expect(problems(file({ ...github, probes: [...github.probes, { url }] }))).toEqual([
      expect.stringMatching(/^services\[0\]\.probes\[1\]\.url: /),
    ])
  })

  test('nothing when the operator allowed the range of its probe', () => {
    const opened = parseAllowList(['127.0.0.0/8'])
    if (!opened.ok) throw new Error(opened.problems.join())
    const local = file({ ...github, probes: [{ url: 'http://127.0.0.1:81/' }] })
    expect(problems(local)).toHaveLength(1)
    expect(parseCatalog(local, { allow: opened.allow }).ok).toBe(true)
  })
})

describe('an expectation', () => {
  const path = 'services[0].probes[0].expect'
  const said = (expect: object): string[] =>
    problems(file({ ...github, probes: [{ ...github.probes[0], expect }] }))

  test.each<[object]>([
    [{}],
    [{ statusMin: 200, statusMax: 402 }],
    [{ statusMin: 401, statusMax: 401 }],
    [{ statusMin: 404, statusMax: 405 }],
    [{ statusMin: 452, statusMax: 499 }],
    [{ statusMin: null, statusMax: 402 }],
    [{ jsonPath: 'status', jsonOp: 'equals', jsonValue: 0 }],
    [{ bodyOp: 'contains', bodyValue: 'pong' }],
  ])('%j is accepted', (expectation) => expect(said(expectation)).toEqual([]))

  test.each<[object, string[]]>([
    [{ statusMin: 200, statusMax: 403 }, ['statusMax: the range must not contain 403:']],
    [{ statusMin: 404, statusMax: 406 }, ['statusMax: the range must not contain 406:']],
    [{ statusMin: 407, statusMax: 407 }, ['statusMax: the range must not contain 407:']],
    [{ statusMin: 429, statusMax: 451 }, ['statusMax: the range must not contain 429, 451:']],
    [{ statusMin: 452, statusMax: 500 }, ['statusMax: the range must not contain 500:']],
    [{ statusMin: 503, statusMax: 503 }, ['statusMax: the range must not contain 503:']],
    [{ statusMin: 430 }, ['statusMin: the range must not contain 451, 500:']],
    [{ statusMin: 401, statusMax: 400 }, ['statusMin: must not be above']],
    [{ jsonPath: 'a[*]', jsonOp: 'exists' }, ['jsonPath: ']],
    [{ jsonPath: 'a' }, ['jsonOp: is required']],
    [{ bodyOp: 'contains', statusMin: 99 }, ['statusMin: ', 'bodyValue: is required']],
    [{ headerName: 'server' }, ['headerName: unknown field']],
  ])('%j is refused', (expectation, expected) => {
    const problems = said(expectation)
    expect(problems).toHaveLength(expected.length)
    for (const [index, start] of expected.entries()) {
      expect(problems[index]?.startsWith(`${path}.${start}`), problems[index]).toBe(true)
    }
  })
})

describe('a name leads to one service:', () => {
  test.each<[string, object, string]>([
    ['a slug twice', { slug: 'github', name: 'Other' }, 'services[1].slug: another service has it'],
    ['a name twice', { name: 'Git Hub' }, 'services[1].name: already leads to github'],
    ['an alias twice', { aliases: ['gl', 'GH'] }, 'services[1].aliases[1]: already leads to github'],
    ['an alias that is a slug', { aliases: ['github'] }, 'services[1].aliases[0]: already'],
    ['a domain twice', { domains: ['github.com'] }, 'services[1].domains[0]: already leads to'],
    ['a name that is a domain', { name: 'GitHub.com' }, 'services[1].name: already leads to github'],
  ])('%s is refused', (_, more, start) => {
    const said = problems(file(github, { ...gitlab, ...more }))
    expect(said).toHaveLength(1)
    expect(said[0]?.startsWith(start), said[0]).toBe(true)
  })

  test.each<[string, object]>([
    ['a domain below that of another', { domains: ['pages.github.com'] }],
    ['its own name as an alias', { aliases: ['Git Lab', 'gitlab.com'] }],
    ['a name with one letter more', { name: 'GitHubs' }],
  ])('%s is accepted', (_, more) => expect(problems(file(github, { ...gitlab, ...more }))).toEqual([]))
})

describe('a stack is refused for', () => {
  const second = { ...stack, id: 'a3cdd4a8-5a64-4d0a-9b0c-0a3d8e1f2b22', slug: 'more' }
  test.each<[string, object, string]>([
    ['a member that is no service', { members: ['bitbucket'] }, 'stacks[1].members[0]'],
    ['a member twice', { members: ['github', 'github'] }, 'stacks[1].members[1]'],
    ['no members', { members: [] }, 'stacks[1].members'],
    ['the slug of another', { slug: 'code' }, 'stacks[1].slug'],
    ['the id of another', { id: stack.id.toUpperCase() }, 'stacks[1].id'],
    ['an id that is none', { id: '1' }, 'stacks[1].id'],
  ])('%s', (_, more, path) => {
    const stacks = [stack, { ...second, ...more }]
    const said = problems({ stacks, services: [github, gitlab] })
    expect(said).toHaveLength(1)
    expect(said[0]?.startsWith(`${path}: `), said[0]).toBe(true)
  })
})

test('lists all problems at once, with their paths', () => {
  const value = {
    stacks: [{ ...stack, members: ['github', 'bitbucket'] }],
    services: [
      { ...github, category: 'misc', cloudRegion: 'fra' },
      { ...gitlab, probes: [{ url: 'http://10.0.0.1/' }] },
      { ...gitlab, slug: 'gitlab-2' },
    ],
  }
  const paths = problems(value).map((problem) => problem.split(': ')[0])
  expect(paths.toSorted()).toEqual([
    'services[0].category',
    'services[0].cloudRegion',
    'services[1].probes[0].url',
    'services[2].aliases[0]',
    'services[2].domains[0]',
    'services[2].name',
    'stacks[0].members[1]',
  ])
})

test.each([[null], ['text'], [[]], [{}], [{ services: {}, stacks: 1 }], [{ services: [null], stacks: [] }]])(
  'refuses %j without an exception',
  (value) => expect(parseCatalog(value).ok).toBe(false),
)
