import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { expect, test, vi } from 'vitest'
import { connectLeaseSession } from '../postgres/connect.ts'
import { ownEpoch } from '../postgres/schema-epoch.ts'
import { startLeaseManager } from './lease-manager.ts'
import { startSuccession } from './succession.ts'

const patience = { interval: 20 }
const log = pino({ level: 'silent' })

const database = useTestDatabase()
const sql = database.use()

const startManager = (epoch: number) => {
  const session = connectLeaseSession(database.url)
  const means = {
    session,
    tenants: [],
    registry: new Registry(),
    log,
    monotonic: () => performance.now(),
  }
  const manager = startLeaseManager({ ...means, id: uuidv7(Date.now()), epoch })
  return {
    held: manager.held,
    close: async () => {
      await manager.close()
      await session.end()
    },
  }
}

test('removes consumers of an earlier version once this version owns every partition, and not before', async () => {
  const older = startManager(ownEpoch - 1)
  await vi.waitFor(() => expect(older.held.size).toBe(16), patience)
  let asked = 0
  let removedWith: number[] | null = null
  let [areOursThere, declared] = [false, 0]
  const consumers = {
    areOursThere: async () => areOursThere,
    declareOurs: async () => {
      declared += 1
      areOursThere = true
    },
    areFormerThere: async () => {
      asked += 1
      return removedWith === null
    },
    removeFormer: async () => {
      removedWith = [older.held.size, newer?.held.size ?? 0]
    },
  }
  let newer: ReturnType<typeof startManager> | null = null
  const succession = await startSuccession({ sql, consumers, isSuperseded: () => false, log })
  expect(declared).toBe(1)
  // no control plane of this version runs yet, so the older one continues
  await vi.waitFor(() => expect(asked).toBeGreaterThan(2), patience)
  expect([older.held.size, removedWith]).toEqual([16, null])
  newer = startManager(ownEpoch)
  await vi.waitFor(() => expect(removedWith).toEqual([0, 16]), patience)
  await succession.close()
  await newer.close()
  await older.close()
})

test('does not restore rows that a newer version removed', async () => {
  const never = () => Promise.reject(new Error('nothing is to be looked at'))
  const said: unknown[] = []
  const listening = pino({ level: 'trace' }, { write: (line) => void said.push(line) })
  const succession = await startSuccession({
    sql,
    consumers: {
      areOursThere: never,
      declareOurs: never,
      areFormerThere: never,
      removeFormer: never,
    },
    isSuperseded: () => true,
    log: listening,
  })
  await succession.close()
  expect(said).toEqual([])
})
