import { randomUUID } from 'node:crypto'
import type { Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { errorPartitionOf, errorPartitions } from '@probe-mesh/contracts/mesh/subjects'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { expect, vi } from 'vitest'
import { connectClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'
import type { ErrorEvent } from '../events/error-event.ts'
import { encodeErrorsMessage, type ErrorsMessage } from '../events/errors-message.ts'
import { insertAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import { connectPostgres } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import type { Lease } from '@probe-mesh/control-plane/src/stores/leases/leases-store'
import {
  insertTestErrorProject,
  acquireTestLeases,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import type { PersistStep } from './context.ts'
import { startErrorPersister, type ErrorPersister } from './persister.ts'

/** Databases for one test file, and persisters that do not wait for larger batches. */
export const startPersistTest = async () => {
  const [database, store] = await Promise.all([createTestDatabase(), createTestClickHouse()])
  const sql = database.pool('probe_mesh_system')
  const owner = connectPostgres(database.url, { connectionsMax: 1 })
  const clickhouse = connectClickHouse(store.url)
  const persisters = new Set<ErrorPersister>()

  const closePersisters = async (): Promise<void> => {
    await Promise.all([...persisters].map((persister) => persister.close()))
    persisters.clear()
  }
  return {
    sql,
    /** Can change the tables. */
    owner,
    clickhouse,
    newProject: async (): Promise<string> => {
      const id = uuidv7(Date.now())
      await insertAccount(sql, { id, name: 'test', tier: 'scale', createdAtMs: Date.now() })
      return insertTestErrorProject(sql, id)
    },
    /** Starts a persister with these leases. Default: it takes over all leases. */
    start: async (
      bus: Pick<Bus, 'errors'>,
      options: { leases?: readonly Lease[]; onStep?: (step: PersistStep) => Promise<void> } = {},
    ): Promise<ErrorPersister> => {
      const persister = startErrorPersister({
        sql,
        clickhouse,
        bus,
        tiers: tiersDefault,
        registry: new Registry(),
        log: pino({ level: 'silent' }),
        now: Date.now,
        gatherMs: 0,
        ...(options.onStep === undefined ? {} : { onStep: options.onStep }),
      })
      persisters.add(persister)
      for (const lease of options.leases ?? (await acquireTestLeases(sql))) persister.take(lease)
      return persister
    },
    closePersisters,
    countsOf: async (projectId: string): Promise<Record<string, number>> => {
      const rows = await sql<{ outcome: string; events: number }[]>`
        select outcome, events::integer from error_counts where project_id = ${projectId}`
      return Object.fromEntries(rows.map(({ outcome, events }) => [outcome, events]))
    },
    /** Ids of the stored occurrences, in order. */
    storedIds: async (projectId: string): Promise<string[]> => {
      const result = await clickhouse.query({
        query: 'select event_id from error_occurrences where project_id = {project:UUID}',
        query_params: { project: projectId },
        format: 'JSONEachRow',
      })
      const rows = await result.json<{ event_id: string }>()
      return rows.map((row) => row.event_id.replaceAll('-', '')).toSorted()
    },
    close: async (): Promise<void> => {
      await closePersisters()
      await Promise.all([sql.end(), owner.end(), clickhouse.close()])
      await Promise.all([database.close(), store.close()])
    },
  }
}

export const publishMessage = ({ errors }: Pick<Bus, 'errors'>, message: ErrorsMessage): Promise<unknown> =>
  errors.publish({
    partition: errorPartitionOf('event' in message ? message.event.projectId : message.projectId),
    messageId: randomUUID(),
    data: encodeErrorsMessage(message),
  })

export const publishEvents = async (
  bus: Pick<Bus, 'errors'>,
  events: readonly ErrorEvent[],
): Promise<void> => {
  for (const event of events) await publishMessage(bus, { kind: 'event', event })
}

export const idsOf = (events: readonly ErrorEvent[]): string[] =>
  events.map(({ eventId }) => eventId).toSorted()

/** Waits until all published messages are acknowledged. */
export const settled = async ({ errors }: Pick<Bus, 'errors'>): Promise<void> => {
  for (const partition of errorPartitions) {
    const consumer = await errors.consume(partition, 'persist')
    await vi.waitFor(async () => expect((await consumer.lag()).messages).toBe(0), { interval: 20 })
    await consumer.close()
  }
}
