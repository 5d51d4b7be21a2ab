import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import { ErrorProject } from '../contracts/error-tracking.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { tiersDefault, type Tier } from '@probe-mesh/contracts/account/tiers'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, expect, test } from 'vitest'
import { insertAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import { insertTestErrorProject } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { listErrorProjects } from './read-error-projects.ts'
import { defaultTargetRules } from '@probe-mesh/control-plane/src/app/testing/operation-context'

const nowMs = Date.parse('2026-11-30T23:59:59.999Z')

let accountId: string
const database = useTestDatabase()
const sql = database.use({ connectionsMax: 2, role: 'probe_mesh_account' })
const owner = database.use({ connectionsMax: 1 })
beforeEach(async () => {
  accountId = await newAccount()
})

const newAccount = async (): Promise<string> => {
  const id = uuidv7(nowMs)
  await insertAccount(owner, { id, name: 'test', tier: 'scale', createdAtMs: nowMs })
  return id
}
const rules = {
  regions: [],
  tiers: tiersDefault,
  targetAllow: allowNothing,
  channelAllow: null,
  ...defaultTargetRules,
  vantage: 'local',
  publicUrl: 'https://probe.example.org',
  sendsMail: false,
} as const
const list = async (at = nowMs, tier: Tier = 'scale', more: object = {}) => {
  const context = { sql, now: () => at, rules: { ...rules, ...more } }
  const found = await listErrorProjects(context, { accountId, tier }, { query: {} })
  if (isRefusal(found)) throw new Error(found.message)
  return found.projects.map((project) => ErrorProject.parse(project))
}
const count = (projectId: string, month: string, outcome: string, events: number) =>
  owner`
    insert into error_counts (project_id, month, outcome, account_id, events)
    values (${projectId}, ${month}, ${outcome}, ${accountId}, ${events})`

const noDrops = {
  quota: 0,
  rate: 0,
  size: 0,
  invalid: 0,
  duplicate: 0,
  filtered: 0,
  scrub: 0,
  store: 0,
}

test('returns an empty list for an account without projects', async () => {
  expect(await list()).toEqual([])
})

test('lists projects oldest first, each with its own DSN, with zeros for missing events', async () => {
  const second = await insertTestErrorProject(owner, accountId, { createdAtMs: nowMs })
  const first = await insertTestErrorProject(owner, accountId, {
    name: 'api',
    createdAtMs: nowMs - 1,
  })
  const rows = await owner<{ id: string; number: string; public_key: string }[]>`
    select error_projects.id, number, public_key
    from error_projects join error_keys on project_id = error_projects.id
    where error_projects.account_id = ${accountId}`
  const dsnOf = (id: string): string => {
    const row = rows.find((one) => one.id === id)
    return `https://${row?.public_key}@probe.example.org/${row?.number}`
  }
  const nothing = { eventsThisMonth: 0, quota: 1_000_000, dropped: noDrops }
  expect(await list()).toEqual([
    { id: first, name: 'api', dsn: dsnOf(first), ...nothing },
    { id: second, name: 'web', dsn: dsnOf(second), ...nothing },
  ])
  expect(dsnOf(first)).toMatch(/^https:\/\/[0-9a-f]{32}@probe\.example\.org\/\d+$/)
  expect(dsnOf(first)).not.toBe(dsnOf(second))
})

test('counts stored events and each drop reason by project and UTC month', async () => {
  const [one, other] = [
    await insertTestErrorProject(owner, accountId, { createdAtMs: nowMs - 1 }),
    await insertTestErrorProject(owner, accountId, { createdAtMs: nowMs }),
  ]
  const reasons = Object.keys(noDrops)
  await count(one, '2026-11-01', 'stored', 3_000_000_000)
  for (const [n, reason] of reasons.entries()) await count(one, '2026-11-01', reason, n + 1)
  await count(one, '2026-10-01', 'stored', 40)
  await count(one, '2026-12-01', 'stored', 50)
  await count(one, '2026-12-01', 'rate', 60)
  await count(other, '2026-11-01', 'stored', 7)
  const dropped = Object.fromEntries(reasons.map((reason, n) => [reason, n + 1]))
  expect(await list()).toMatchObject([
    { id: one, eventsThisMonth: 3_000_000_000, dropped },
    { id: other, eventsThisMonth: 7, dropped: noDrops },
  ])
  expect(await list(nowMs + 1)).toMatchObject([
    { id: one, eventsThisMonth: 50, dropped: { ...noDrops, rate: 60 } },
    { id: other, eventsThisMonth: 0, dropped: noDrops },
  ])
})

test.each([
  ['free', 5_000],
  ['growth', 100_000],
  ['scale', 1_000_000],
] as const)('shows the quota of the %s tier: %i events a month', async (tier, quota) => {
  await insertTestErrorProject(owner, accountId)
  expect(await list(nowMs, tier)).toMatchObject([{ quota }])
})

test('shows a quota that the operator changed', async () => {
  await insertTestErrorProject(owner, accountId)
  const tiers = { ...tiersDefault, free: { ...tiersDefault.free, errorEventsPerMonth: 7_000 } }
  expect(await list(nowMs, 'free', { tiers })).toMatchObject([{ quota: 7_000 }])
})

test('hides projects and counts of other accounts', async () => {
  const mine = await insertTestErrorProject(owner, accountId)
  await count(mine, '2026-11-01', 'stored', 1)
  accountId = await newAccount()
  expect(await list()).toEqual([])
})
