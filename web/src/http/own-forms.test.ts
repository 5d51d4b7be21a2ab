import { beforeAll, describe, expect, test } from 'vitest'
import { origin, useTestWeb, type Visitor } from '../testing/test-web.ts'

/** Forms that read no cookie; they are tested separately below. */
const forEverybody = new Set([
  'POST /alert-mails/confirm',
  'POST /alert-mails/unsubscribe/:token',
  'POST /alerts/acknowledge',
  'POST /services/:slug/reports',
  'POST /status/:slug/subscribers',
  'POST /subscriptions/confirm',
  'POST /subscriptions/unsubscribe/:token',
])

let member: Visitor
let forms: string[]
const web = useTestWeb({ config: { budgetScale: 100 } })
beforeAll(async () => {
  member = await web.member()
  await member.post('/dashboard/keys', { name: 'mine', scope: 'read' })
  const [key] = await web.at.sql<{ id: string }[]>`select id from api_keys`
  // every parameter is an existing id, so only the rule can refuse the form
  forms = web.served
    .filter((route) => route.startsWith('POST ') && !forEverybody.has(route))
    .map((route) => route.slice('POST '.length).replace(/:\w+/g, String(key?.id)))
})

/** All stored rows, as one text per table. */
const stored = async (): Promise<Record<string, string>> => {
  const tables = await web.at.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`
  const all: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await web.at.sql<{ text: string }[]>`
      select md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as text
      from ${web.at.sql(name)} t`
    all[name] = String(row?.text)
  }
  return all
}

const typed = { name: 'x', scope: 'read', email: 'x@example.org', title: 'x', body: 'x' }

describe.each([
  ['of another origin', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['of another origin, of a browser that says no more', { origin: 'https://evil.example' }],
  ['of another host of the same site', { origin, 'sec-fetch-site': 'same-site' }],
  ['of a page without an origin', { origin: 'null' }],
  ['that does not say of which page it is', {}],
] as const)('a form %s', (_what, headers) => {
  test('is refused by every page and changes nothing', async () => {
    const before = await stored()
    const taken: unknown[] = []
    for (const path of forms) {
      const shown = await member.send(path, typed, headers)
      const isRefused = shown.status === 403 && shown.text.includes('sent from a page of another site')
      if (!isRefused || shown.headers['set-cookie'] !== undefined) taken.push([path, shown.status])
    }
    expect(taken).toEqual([])
    expect(await stored()).toEqual(before)
  })
})

test('every form of the pages is tested, and is accepted from our own page', async () => {
  expect(forms.length).toBeGreaterThan(20)
  const before = await stored()
  const shown = await member.send('/dashboard/keys', typed, { 'sec-fetch-site': 'same-origin' })
  expect(shown.status).toBe(303)
  expect((await stored())['api_keys']).not.toEqual(before['api_keys'])
})

test.each([
  ['/dashboard-api/session', typed],
  ['/dashboard-api/login-links', typed],
  ['/dashboard-api/checks', typed],
])('the control plane takes none at %s either', async (path, body) => {
  const before = await stored()
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const answer = await web.at.call('POST', path, { headers, body })
  expect(answer).toMatchObject({ status: 403 })
  expect(await stored()).toEqual(before)
})

test.each([
  ['/status/nowhere/subscribers', { email: 'x@example.org' }, 404],
  ['/services/nothing/reports', { region: 'fra' }, 404],
  ['/alerts/acknowledge', { token: 'x' }, 410],
  ['/subscriptions/confirm', { token: 'x' }, 404],
  ['/subscriptions/unsubscribe/x', { 'List-Unsubscribe': 'One-Click' }, 404],
])(
  '%s is for everybody: it takes no cookie, so that no page makes a visitor act',
  async (path, form, status) => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const answer = await member.send(path, form, headers)
    expect(answer.status).toBe(status)
    expect(answer.headers['set-cookie']).toBeUndefined()
  },
)
