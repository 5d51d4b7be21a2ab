import { beforeEach, expect, test } from 'vitest'
import { nothingMeasured } from '@probe-mesh/contracts/mesh/mesh'
import { html } from '@probe-mesh/runtime/html'
import type { Ask } from '../api/ask.ts'
import { dashboardPage } from '../html/dashboard-page.ts'
import { assets } from './assets.ts'
import { createCountKeeper, type CountKeeper } from './navigation-counts.ts'

let nowMs: number
let open: number
let asked: number
let keeper: CountKeeper
const none = { openIncidents: 0, unresolvedIssues: 0, activeMaintenance: 0 }
const ask = (async () => {
  asked += 1
  if (open < 0) return { ok: false }
  return { ok: true, value: { ...none, openOutages: open } }
}) as unknown as Ask
const incidents = async (accountId: string) => (await keeper.countsOf(accountId, ask)).incidents?.count

beforeEach(() => {
  nowMs = 1_000_000
  open = 1
  asked = 0
  keeper = createCountKeeper(() => nowMs)
})

test('pages of one second share one count, also while it is being read', async () => {
  expect(await Promise.all([incidents('a'), incidents('a')])).toEqual([1, 1])
  open = 2
  nowMs += 999
  expect([await incidents('a'), asked]).toEqual([1, 1])
  nowMs += 1
  expect([await incidents('a'), asked]).toEqual([2, 2])
})

test('each account has its own', async () => {
  await incidents('a')
  open = 5
  expect(await incidents('b')).toBe(5)
})

test('a member sees the effect of an act at once, also when an earlier count ends after it', async () => {
  const earlier = incidents('a')
  open = 0
  keeper.forget('a')
  expect(await earlier).toBe(1)
  expect(await incidents('a')).toBe(0)
})

test('a failed count is not kept', async () => {
  open = -1
  expect(await keeper.countsOf('a', ask)).toEqual({})
  open = 3
  expect(await incidents('a')).toBe(3)
})

test('every page says that nothing can be measured, while that is so', async () => {
  expect((await keeper.countsOf('a', ask)).nothingMeasured).toBe(false)
  const blind = (async () => ({
    ok: true,
    value: { ...none, openOutages: 0, nothingMeasured: true },
  })) as unknown as Ask
  const counts = await keeper.countsOf('b', blind)
  expect(counts.nothingMeasured).toBe(true)
  const who = { user: { email: 'a@b.c' }, account: { name: 'A', tier: 'free' } } as never
  const page = { title: 'Checks', area: null, main: html`x` }
  const of = (given: object) => dashboardPage(assets, who, page, { counts: given })
  expect(of(counts)).toContain(nothingMeasured.text)
  expect(of({})).not.toContain(nothingMeasured.text)
})
