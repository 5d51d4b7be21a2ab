import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { emptyCatalogFile } from '../empty-catalog.ts'
import { createCommandPart } from './command-part.ts'
import { readMetric } from './metric.ts'
import type { Part } from './part.ts'
import { programCommand, programEnvironment } from './program-command.ts'

/** A program of ours, which reports its state over HTTP. */
export type EntryPart = Part & {
  readonly url: string
  /** The sum of a metric over the lines with these labels. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>
}

/** Without a cache most of a start is compiling. */
const compileCache = fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url))
const answerMsMax = 2_000

/** Creates a part from an entry point in `infra/start/processes`, on a port of the loopback. */
export const createEntryPart = (options: {
  name: string
  entry: 'agent' | 'control-plane' | 'mcp-gateway'
  port: number
  /** The folder of the mesh, which contains the data and log of the part. */
  folder: string
  environment: Readonly<Record<string, string>>
  /** A command that executes the program, such as `unshare`. It must replace itself by the program. */
  through?: readonly string[]
  /** The folder of the project for the next start; absent: this one. */
  treeOf?: (name: string) => string | null
  /** A readiness check for a program with TLS; absent: `/readyz` over HTTP. */
  isReady?: () => Promise<boolean>
}): EntryPart => {
  const { name, entry, port, folder, through = [] } = options
  const url = `http://127.0.0.1:${port}`
  const part = createCommandPart({
    name,
    command: () => [...through, ...programCommand(entry, options.treeOf?.(name) ?? undefined)],
    logFile: join(folder, 'logs', name),
    environment: {
      ...programEnvironment,
      NODE_COMPILE_CACHE: compileCache,
      LOG_LEVEL: process.env['MESH_LOG'] ?? 'warn',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: join(folder, name),
      // targets of tests are on this machine
      TARGET_ALLOW: '127.0.0.0/8',
      RDAP_BOOTSTRAP: 'none',
      // tests have no internet
      CANARIES: 'none',
      // only the checks of the test are counted
      CATALOG_FILE: emptyCatalogFile,
      ...options.environment,
    },
    isReady:
      options.isReady ??
      (async () => {
        const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerMsMax) })
        await answer.arrayBuffer()
        return answer.ok
      }),
  })
  return Object.assign(part, {
    url,
    metric: (metric: string, labels?: Readonly<Record<string, string>>) => readMetric(url, metric, labels),
  })
}
