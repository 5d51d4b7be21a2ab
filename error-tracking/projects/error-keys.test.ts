import { allowNothing } from '@probe-mesh/contracts/target/address'
import { errorProjectsMax, openErrorKeysMax } from '../contracts/error-project.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, expect, test } from 'vitest'
import { insertAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import { insertTestErrorProject } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { createErrorKey, revokeErrorKey } from './error-keys.ts'
import { createErrorProject } from './change-error-projects.ts'
import { getErrorProject } from './read-error-projects.ts'
import { defaultTargetRules } from '@probe-mesh/control-plane/src/app/testing/operation-context'

const nowMs = Date.parse('2026-11-20T12:00:00.000Z')
const actor = { kind: 'operator' } as const

let accountId: string
const database = useTestDatabase()
const sql = database.use({ connectionsMax: 4, role: 'probe_mesh_account' })
const owner = database.use({ connectionsMax: 1 })
beforeEach(async () => {
  accountId = uuidv7(nowMs)
  await insertAccount(owner, { id: accountId, name: 'test', tier: 'scale', createdAtMs: nowMs })
})

const contextNow = () => ({
  sql,
  now: () => nowMs,
  rules: {
    regions: [],
    tiers: tiersDefault,
    targetAllow: allowNothing,
    channelAllow: null,
    ...defaultTargetRules,
    vantage: 'local' as const,
    publicUrl: 'https://probe.example.org',
    sendsMail: false,
  },
})
const openKeys = async (id: string) => {
  const found = await getErrorProject(contextNow(), { accountId, tier: 'scale' }, { params: { id } })
  if (isRefusal(found)) throw new Error(found.refused)
  return found.keys.filter(({ revokedAt }) => revokedAt === null)
}

test('concurrent creation never exceeds the project limit', async () => {
  for (let n = 2; n < errorProjectsMax; n++) await insertTestErrorProject(owner, accountId)
  const body = { name: 'web', platform: 'node' } as const
  const created = await Promise.all(
    [1, 2, 3, 4].map(() => createErrorProject(contextNow(), { accountId, actor }, { body })),
  )
  expect(created.filter((one) => isRefusal(one) && one.refused === 'SV-3002')).toHaveLength(2)
  const [row] = await owner<{ count: number }[]>`
    select count(*)::integer from error_projects where account_id = ${accountId}`
  expect(row?.count).toBe(errorProjectsMax)
})

test('concurrent creation never exceeds the key limit', async () => {
  const id = await insertTestErrorProject(owner, accountId)
  const created = await Promise.all(
    Array.from({ length: openErrorKeysMax }, () =>
      createErrorKey(contextNow(), { accountId, actor }, { params: { id } }),
    ),
  )
  expect(created.filter((one) => isRefusal(one))).toHaveLength(1)
  expect(await openKeys(id)).toHaveLength(openErrorKeysMax)
})

test('concurrent revocation keeps the last key and shows its DSN', async () => {
  const id = await insertTestErrorProject(owner, accountId)
  await createErrorKey(contextNow(), { accountId, actor }, { params: { id } })
  const keys = await openKeys(id)
  const revoked = await Promise.all(
    keys.map((key) => revokeErrorKey(contextNow(), { accountId, actor }, { params: { id, keyId: key.id } })),
  )
  expect(revoked.filter((one) => isRefusal(one) && one.refused === 'SV-3002')).toHaveLength(1)
  const left = await openKeys(id)
  expect(left).toHaveLength(1)
  const found = await getErrorProject(contextNow(), { accountId, tier: 'scale' }, { params: { id } })
  expect(found).toMatchObject({ dsn: left[0]?.dsn })
})
