import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { createEntryPart, type EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { childWith } from '../harness/process-tree.ts'
import { meshRegions, type MeshServers } from './servers.ts'
import { until } from '../harness/until.ts'

export type MeshControlPlane = EntryPart & {
  /** The process id of the current process. */
  pid(): number
}

/** Creates a real control plane on these databases. The caller starts and closes it. */
export const createControlPlane = async (
  servers: MeshServers,
  how: { name: string; databaseUrl: string; clickhouseUrl: string },
): Promise<MeshControlPlane> => {
  const [port = 0] = await freePorts(1)
  const part = createEntryPart({
    name: how.name,
    entry: 'control-plane',
    port,
    folder: servers.folder,
    environment: {
      DATABASE_URL: how.databaseUrl,
      CLICKHOUSE_URL: how.clickhouseUrl,
      NATS_URL: servers.natsUrl,
      NATS_CREDENTIALS: servers.controlPlaneFile,
      SECRETS_KEY: 'the secrets key of the bench, 32 characters',
      REGIONS: meshRegions.join(','),
      VANTAGE: 'local',
      NODE_OPTIONS: profiling(),
    },
  })
  return Object.assign(part, { pid: () => childWith(`\0PORT=${port}\0`) })
}

/** When the bench is profiled, so are its control planes. */
const profiling = (): string => process.execArgv.filter((flag) => flag.startsWith('--cpu-prof')).join(' ')

/** Waits until each holds an equal share of the partitions. */
export const shared = async (controlPlanes: readonly MeshControlPlane[]): Promise<void> => {
  const share = limits.partitions / controlPlanes.length
  await until('the partitions are shared', async () => {
    const held = await Promise.all(
      controlPlanes.map((one) => one.metric('lease_partitions_held').catch(() => 0)),
    )
    return held.every((count) => count === share)
  })
}
