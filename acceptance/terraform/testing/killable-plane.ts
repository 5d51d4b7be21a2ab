import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { startTestNats } from '@probe-mesh/infra/testing/nats'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { createTestAccount } from '@probe-mesh/infra/testing/processes/account'
import { createEntryPart, type EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'

/** A control plane in its own process, which restarts on the same port and database. */
export type KillablePlane = {
  readonly process: EntryPart
  readonly port: number
  readonly apiKey: string
  readonly databaseUrl: string
  close(): Promise<void>
}

/** @param environment in addition, such as another budget */
export const startKillablePlane = async (
  environment: Readonly<Record<string, string>> = {},
): Promise<KillablePlane> => {
  const folder = await mkdtemp(join(tmpdir(), 'killable-'))
  await mkdir(join(folder, 'logs'))
  const closers = [() => rm(folder, { recursive: true, force: true, maxRetries: 10 })]
  const close = async (): Promise<void> => {
    for (const end of closers.splice(0).toReversed()) await end()
  }
  try {
    const database = await createTestDatabase()
    closers.push(database.close)
    const clickhouse = await createTestClickHouse()
    closers.push(clickhouse.close)
    const nats = await startTestNats()
    closers.push(nats.close)
    const [port = 0] = await freePorts(1)
    const part = createEntryPart({
      name: 'control-plane',
      entry: 'control-plane',
      port,
      folder,
      environment: {
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        DATABASE_URL: database.url,
        CLICKHOUSE_URL: clickhouse.url,
        NATS_URL: nats.url,
        SECRETS_KEY: 'the secrets key of the tests, 32 characters',
        BUDGET_SCALE: '100',
        VANTAGE: 'local',
        ...environment,
      },
    })
    closers.push(part.close)
    await part.start()
    const apiKey = await createTestAccount(database.url)
    return { process: part, port, apiKey, databaseUrl: database.url, close }
  } catch (error) {
    await close()
    throw error
  }
}
