import { checkChoicesMax } from '@probe-mesh/contracts/check/check-list'
import { beforeAll, expect, test, vi } from 'vitest'
import { manyChecks } from '../testing/many-checks.ts'
import { publisherOf, type Publisher } from '../testing/publisher.ts'
import { useTestWeb } from '../testing/test-web.ts'
import { boxesMax } from './rules/check-boxes.ts'

const count = checkChoicesMax + 50

let owner: Publisher
let ids: string[]
const web = useTestWeb({ config: { budgetScale: 100 } })
beforeAll(async () => {
  owner = await publisherOf(web)
  ids = await manyChecks(web, owner.accountId, count)
})

/** Shows a page. @returns the number of checks in the answer to each request for names or details */
const rowsAsked = async (path: string) => {
  const inject = vi.spyOn(web.at.app, 'inject')
  try {
    const { status, text } = await owner.get(path)
    const asked: [string, number][] = []
    const calls = inject.mock.calls as unknown as [{ url: string }][]
    for (const [index, [request]] of calls.entries()) {
      const url = request.url.replace(/\?.*/, '')
      const answer = (await inject.mock.results[index]?.value) as unknown as { body: string }
      const rows = new Set(ids.filter((id) => answer.body.includes(`"id":"${id}"`))).size
      if (rows > 0) asked.push([url.replace('/dashboard-api', ''), rows])
    }
    return { status, text, asked }
  } finally {
    inject.mockRestore()
  }
}

/** Publishes a check and posts an incident about it. @returns the incident's path */
const open = async (checkId: string): Promise<string> => {
  await owner.post(`/dashboard/pages/${owner.pageId}/publish`, { checkId, displayName: 'other' })
  const [component] = await web.at.sql<{ id: string }[]>`
    select id from components where check_id = ${checkId}`
  const said = {
    statusPageId: owner.pageId,
    componentIds: String(component?.id),
    title: 'Slow',
    body: 'We look.',
  }
  return String((await owner.post('/dashboard/incidents/new', said)).to)
}

test('a page with names of checks reads only those, whatever the account has', async () => {
  const [first = '', second = '', third = ''] = ids
  const path = await open(first)
  await open(second)
  const list = await rowsAsked('/dashboard/incidents?view=posted')
  expect(list.asked).toEqual([['/check-names', 2]])
  expect(list.text).toContain('<bdi>check 1</bdi>')
  expect((await rowsAsked(path)).asked).toEqual([['/check-names', 1]])

  const page = `/dashboard/pages/${owner.pageId}`
  const shown = await rowsAsked(page)
  expect(shown.asked).toEqual([['/check-names', 2]])
  expect(shown.text).toContain('<bdi>check 0</bdi>')

  const rule = { name: 'few', enabled: 'on', statuses: 'down', afterSeconds: '0', checks: 'some' }
  await owner.post('/dashboard/rules', [
    ...Object.entries({ ...rule, channels: 'all' }),
    ['checkIds', second],
    ['checkIds', third],
  ])
  const rules = await rowsAsked('/dashboard/rules')
  expect(rules.asked).toEqual([['/check-names', 2]])
  for (const name of ['check 1', 'check 2']) expect(rules.text).toContain(`<bdi>${name}</bdi>`)
})

test('a page with a choice reads a bounded part, and finds the rest by name', async () => {
  const publish = await rowsAsked(`/dashboard/pages/${owner.pageId}/publish`)
  expect(publish.asked).toEqual([['/check-names', checkChoicesMax]])
  const found = await rowsAsked(`/dashboard/pages/${owner.pageId}/publish?q=CHECK+24`)
  expect(found.asked).toEqual([['/check-names', 11]])
  const rule = await rowsAsked('/dashboard/rules/new')
  expect(rule.asked).toEqual([['/check-names', boxesMax]])
})

test('an invalid id is not requested, and a check of another account cannot be chosen', async () => {
  const stranger = await publisherOf(web)
  const theirs = await stranger.check('secret name')
  const { status, text } = await owner.get(`/dashboard/incidents/new?check=${theirs}`)
  expect(status).toBe(200)
  expect(text).not.toContain('secret name')
  expect(await owner.get('/dashboard/incidents/new?check=%22none')).toMatchObject({ status: 200 })
})
