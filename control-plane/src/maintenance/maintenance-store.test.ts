import { beforeAll, beforeEach, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { ownerOf, type Owner } from '../app/testing/pages.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { findChecksInMaintenance, findPageWindows } from './maintenance-hold.ts'

let sql: Sql
let owner: Owner
let accountId: string
let statusPageId: string
const at = useTestApp({ config: { budgetScale: 1_000 } })
beforeAll(async () => {
  sql = at.systemSql
})
beforeEach(async () => {
  const account = await at.account('scale')
  ;[owner, accountId] = [ownerOf(at, account), account.id]
  statusPageId = await owner.pageId()
})

const publish = async (page: string) => {
  const checkId = await owner.checkId()
  const component = await owner.post(`/status-pages/${page}/components`, { checkId })
  return { checkId, componentId: component.json.id }
}
const announce = async (body: object) =>
  (await owner.post('/maintenance', { statusPageId, title: 'a', body: 'b', ...body })).json
const spanOf = (window: { startsAt: string; endsAt: string }) =>
  [window.startsAt, window.endsAt].map((at) => Date.parse(at))
/** The windows that hold each check: start and end, the one that ends first before the others. */
const held = async (checkIds: string[], nowMs = at.now()) => {
  const found = await findPageWindows(sql, checkIds, { fromMs: nowMs, toMs: nowMs })
  expect(found.every((window) => window.statusPageId === statusPageId)).toBe(true)
  // the checks of the whole account, as its metrics show them
  expect(await findChecksInMaintenance(sql, accountId, nowMs)).toEqual(
    new Set(found.map(({ checkId }) => checkId)),
  )
  return checkIds.map((checkId) =>
    found
      .filter((window) => window.checkId === checkId)
      .toSorted((a, b) => a.endsAtMs - b.endsAtMs)
      .map(({ startsAtMs, endsAtMs }) => [startsAtMs, endsAtMs]),
  )
}

test('a window for its component or for the whole page holds a check', async () => {
  const [one, two] = [await publish(statusPageId), await publish(statusPageId)]
  const unpublished = await owner.checkId()
  const all = [one.checkId, two.checkId, unpublished]
  expect(await held(all)).toEqual([[], [], []])
  const narrow = await announce({ durationMinutes: 5, componentIds: [one.componentId] })
  expect(await held(all)).toEqual([[spanOf(narrow)], [], []])
  const wide = await announce({ durationMinutes: 60 })
  expect(await held(all)).toEqual([[spanOf(narrow), spanOf(wide)], [spanOf(wide)], []])
})

test('a window holds from its start until just before its end', async () => {
  const { checkId } = await publish(statusPageId)
  const startsAt = new Date(at.now() + 60_000).toISOString()
  const window = await announce({ startsAt, durationMinutes: 1 })
  const startsAtMs = Date.parse(startsAt)
  expect(await held([checkId], startsAtMs - 1)).toEqual([[]])
  expect(await held([checkId], startsAtMs)).toEqual([[spanOf(window)]])
  expect(await held([checkId], startsAtMs + 59_999)).toEqual([[spanOf(window)]])
  expect(await held([checkId], startsAtMs + 60_000)).toEqual([[]])
})

test('a window of one page holds no check that only another page publishes', async () => {
  const page = await owner.post('/status-pages', { name: 'b', slug: `b-${statusPageId}` })
  const { checkId } = await publish(page.json.id)
  await announce({ durationMinutes: 5 })
  expect(await held([checkId])).toEqual([[]])
})

test('a window for an unpublished component holds nothing else', async () => {
  const [one, two] = [await publish(statusPageId), await publish(statusPageId)]
  await announce({ durationMinutes: 5, componentIds: [one.componentId] })
  await owner.send('DELETE', `/status-pages/${statusPageId}/components/${one.componentId}`)
  expect(await held([one.checkId, two.checkId])).toEqual([[], []])
})
