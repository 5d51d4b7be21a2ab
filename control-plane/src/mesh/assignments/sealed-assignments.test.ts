import { assignedIn } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { createSecretSealer } from '@probe-mesh/contracts/agent/agent-seal'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { expect, onTestFinished, test, vi } from 'vitest'
import { regionKeyOf } from '../../secrets/region-key.ts'
import { createAssignmentSealer, type AssignmentSealer } from '../../secrets/seal-assignments.ts'
import { insertSecret, secretOwner } from '../../secrets/secrets-store.ts'
import { sealsNothing } from '../../secrets/testing.ts'
import { createVault } from '../../secrets/vault.ts'
import { connectPostgres } from '../../stores/postgres/connect.ts'
import { transact } from '../../stores/postgres/transact.ts'
import { insertTestCheck } from '../../stores/postgres/testing.ts'
import { startAssigner } from './assigner.ts'

const secretsKey = 'the secrets key of the tests, 32 characters'
const log = pino({ level: 'silent' })

test('assignments get the secrets that they lack at the next comparison, and the same ones are not written again', async () => {
  const database = await createTestDatabase()
  const sql = connectPostgres(database.url)
  const folder = testFolder('sealed-')
  const bus = await openInProcessBus({ directory: folder })
  onTestFinished(async () => {
    await bus.close()
    await sql.end()
    await database.close()
  })
  const vault = createVault(secretsKey)
  const checkId = await insertTestCheck(sql, { regions: ['fra'] })
  const config = {
    type: 'http_request',
    request: { headers: [{ name: 'x-key', value: '{{ secret.api_key }}' }] },
  }
  await sql`update checks set config = ${sql.json(config)} where id = ${checkId}`
  const [row] = await sql<
    { accountId: string }[]
  >`select account_id as "accountId" from checks where id = ${checkId}`
  const owner = { id: uuidv7(0), accountId: row?.accountId ?? '' }
  const value = vault.seal('correct horse battery', secretOwner(owner))
  const secret = {
    ...owner,
    name: 'api_key',
    hosts: ['example.com'],
    agents: [],
    createdAtMs: 0,
    updatedAtMs: 0,
    value,
  }
  await transact(sql, (tx) => insertSecret(tx, secret))

  const written: string[] = []
  const watched = await bus.assignments.watch('fra', {
    onPut: (assignment) => written.push('sealed' in assignment ? 'sealed' : 'bare'),
    onRemove: () => written.push('removed'),
    onCurrent: () => {},
  })
  const compare = async (sealer: AssignmentSealer): Promise<void> => {
    const assigner = await startAssigner({
      sealer,
      sql,
      bus,
      liveRegions: ['fra'],
      registry: new Registry(),
      log,
      now: Date.now,
      onChanged: async () => {},
    })
    await vi.waitFor(() => expect(assigner.isCurrent()).toBe(true))
    await assigner.close()
  }
  const sealer = createAssignmentSealer({ sql, vault, secretsKey, log })
  await compare(sealsNothing)
  await compare(sealer)
  await compare(sealer)
  await vi.waitFor(() => expect(written).toEqual(['bare', 'sealed']))
  await watched.close()
  const [held] = await assignedIn(bus, 'fra')
  if (held?.type !== 'http_request' || held.sealed === undefined) throw new Error('nothing is sealed')
  const { open } = createSecretSealer(regionKeyOf(secretsKey, 'fra'))
  expect(open(held.sealed, held)).toEqual({
    api_key: {
      value: 'correct horse battery',
      hosts: ['example.com:443'],
      origins: ['https://example.com'],
    },
  })
})
