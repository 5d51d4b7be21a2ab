import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { controlPlaneConnection } from '@probe-mesh/bus/nats/permissions'
import type { Bus } from '@probe-mesh/bus/port'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { startClickHouse } from '@probe-mesh/infra/start/embedded/clickhouse/start'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { startPostgres } from '@probe-mesh/infra/start/embedded/postgres/start'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { createNatsPart } from '@probe-mesh/infra/testing/processes/nats-part'
import { closeAll } from '@probe-mesh/infra/start/processes/close-all'
import { childWith } from '../harness/process-tree.ts'

/** The regions of the two agents. */
export const meshRegions = ['fra', 'iad'] as const satisfies Region[]

/** The servers of a mesh, each in a process of its own that ends with this one. */
export type MeshServers = {
  readonly folder: string
  readonly postgresUrl: string
  readonly clickhouseUrl: string
  readonly natsUrl: string
  readonly controlPlaneFile: string
  agentFile(region: Region): string
  /** Their processes, by name. */
  readonly pids: Readonly<Record<'postgres' | 'clickhouse' | 'nats-server', number>>
  /** Opens the bus with the permissions of a control plane. */
  openBus(): Promise<Bus>
  close(): Promise<void>
}

/** Starts the embedded Postgres and ClickHouse, and NATS with the configuration of an operator. */
export const startServers = async (folder: string): Promise<MeshServers> => {
  const closers: (() => Promise<void>)[] = []
  const close = () => closeAll(closers)
  try {
    const log = silentLog
    await mkdir(join(folder, 'logs'))
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log })
    closers.push(postgres.close)
    const clickhouse = await startClickHouse({ dataDir: join(folder, 'clickhouse'), log })
    closers.push(clickhouse.close)
    const [port = 0] = await freePorts(1)
    const nats = await createNatsPart({ port, regions: meshRegions, folder })
    closers.push(nats.part.close)
    await nats.part.start()
    const { controlPlaneFile, agentFile } = nats
    const natsUrl = `nats://127.0.0.1:${port}`
    const natsPid = childWith(join(folder, 'nats', 'nats-server.conf'))
    return {
      folder,
      postgresUrl: postgres.url,
      clickhouseUrl: clickhouse.url,
      natsUrl,
      controlPlaneFile,
      agentFile,
      pids: { postgres: postgres.pid, clickhouse: clickhouse.pid, 'nats-server': natsPid },
      openBus: async () => {
        const { authenticator } = await readNatsCredentials(controlPlaneFile)
        const login = { ...controlPlaneConnection, authenticator }
        return openNatsBus({ servers: [natsUrl], name: 'bench', ...login })
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
