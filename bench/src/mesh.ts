import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { withFolder } from './folder.ts'
import { measureBook } from './mesh/book.ts'
import { createCheckedDatabase } from './mesh/databases.ts'
import { measureLag } from './mesh/lag.ts'
import { withPacedMesh } from './mesh/paced-mesh.ts'
import type { TreeUsage } from './mesh/process-tree.ts'
import { meshRegions, startServers } from './mesh/servers.ts'
import { measureTakeover } from './mesh/takeover.ts'
import { measureThroughput, snake } from './mesh/throughput.ts'
import { warningsIn } from './mesh/warnings.ts'
import type { BenchContext } from './run-bench.ts'

const database = 'bench_mesh'
const checks = 10_000
/** Of 10,000 checks in two regions: 2,000 readings a second. */
const intervalSeconds = 10

/** The way from an agent to the store, with everything on it in processes of its own. */
export const measureMesh = (context: BenchContext): Promise<void> =>
  withFolder(async (folder) => {
    const servers = await startServers(folder)
    try {
      const { say } = context
      const more = { ...context, servers, database, checks }
      say(`mesh: ${checks} checks of ${intervalSeconds} s in ${meshRegions.join(' and ')}`)
      const how = { count: checks, regions: meshRegions, intervalSeconds }
      await createCheckedDatabase(servers.postgresUrl, database, how)
      const peakMib = await measureThroughput(more)
      await withPacedMesh(servers, more, async (mesh) => {
        reportMemory(context, await measureLag(more, mesh), peakMib)
        await measureTakeover(context, mesh)
      })
      await measureBook(more)
    } finally {
      await servers.close()
      await sayWarnings(context, join(folder, 'logs'))
    }
  })

const reportMemory = (
  { report }: BenchContext,
  paced: Readonly<Record<string, TreeUsage>>,
  peakMib: Readonly<Record<string, number>>,
): void => {
  for (const [name, { mib }] of Object.entries(paced)) {
    report({
      figure: `mesh_${snake(name)}_memory`,
      value: mib,
      unit: 'MiB',
      context: { peakAtFullLoad: peakMib[name] ?? null },
    })
  }
}

const sayWarnings = async ({ say }: BenchContext, folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    const warnings = warningsIn(await readFile(join(folder, name), 'utf8'))
    for (const [message, count] of warnings) say(`${name} warned ${count} times: ${message}`)
  }
}
