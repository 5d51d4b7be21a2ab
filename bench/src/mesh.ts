import { withFolder } from './harness/scope.ts'
import type { BenchContext } from './harness/run-bench.ts'
import { createCheckedDatabase } from './mesh/databases.ts'
import { measureLag } from './mesh/lag.ts'
import { withPacedMesh } from './mesh/paced-mesh.ts'
import { meshRegions, startServers } from './mesh/servers.ts'
import { measureTakeover } from './mesh/takeover.ts'
import { measureThroughput } from './mesh/throughput.ts'

const databases = { throughput: 'bench_mesh_minute', paced: 'bench_mesh' }
const checks = 10_000
/** With 10,000 checks in two regions: 2,000 readings per second. */
const intervalSeconds = 10

/** The way from an agent to the databases, each part in processes of its own. */
export const measureMesh = (context: BenchContext): Promise<void> =>
  withFolder(async (folder) => {
    const servers = await startServers(folder)
    try {
      context.log(`mesh: ${checks} checks of ${intervalSeconds} s in ${meshRegions.join(' and ')}`)
      const how = { count: checks, regions: meshRegions, intervalSeconds }
      const { postgresUrl } = servers
      await createCheckedDatabase(postgresUrl, databases.paced, how)
      // its readings are slots of a minute: checks of 10 s would be stale in between, and flip at each reading
      await createCheckedDatabase(postgresUrl, databases.throughput, { ...how, intervalSeconds: 60 })
      await measureThroughput({ ...context, servers, database: databases.throughput, checks })
      const more = { ...context, servers, database: databases.paced, checks }
      await withPacedMesh(servers, more, async (mesh) => {
        await measureLag(more, mesh)
        await measureTakeover(context, mesh)
      })
    } finally {
      await servers.close()
    }
  })
