import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { emptyCatalogFile } from '../empty-catalog.ts'
import { createCommandPart } from './command-part.ts'
import { readMetric } from './metric.ts'
import type { Part } from './part.ts'

/** A part of ours, which says over HTTP how it is. */
export type EntryPart = Part & {
  readonly url: string
  /** The sum of a metric over the lines that carry these labels. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>
}

/** Compiling the same files anew would be most of a start's work. */
const compileCache = fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url))
const answerMsMax = 2_000

/** Versions of the project's history have their entry points one folder higher. */
const entriesIn = (tree: string): string => {
  const now = join(tree, 'infra', 'start', 'processes')
  return existsSync(now) ? now : join(tree, 'infra', 'processes')
}

/** One of the entry points in `infra/start/processes`, listening on a port of the loopback. */
export const createEntryPart = (options: {
  name: string
  entry: 'agent' | 'control-plane' | 'mcp-gateway'
  port: number
  /** Of the whole mesh: its data and its log have a place in it. */
  folder: string
  environment: Readonly<Record<string, string>>
  /** What the program is started through, as in `unshare`: it must become the program, and not wait for it. */
  through?: readonly string[]
  /** The folder of the project that its next start runs; absent: this one. */
  treeOf?: (name: string) => string | null
  /** Where it answers by TLS, which the test has to know how to trust; else `/readyz` is asked over HTTP. */
  isReady?: () => Promise<boolean>
}): EntryPart => {
  const { name, entry, port, folder, through = [] } = options
  const url = `http://127.0.0.1:${port}`
  const ours = fileURLToPath(new URL('../../../', import.meta.url))
  const script = () => join(entriesIn(options.treeOf?.(name) ?? ours), `${entry}.ts`)
  const part = createCommandPart({
    name,
    command: () => [...through, process.execPath, script()],
    logFile: join(folder, 'logs', name),
    environment: {
      NODE_COMPILE_CACHE: compileCache,
      LOG_LEVEL: process.env['MESH_LOG'] ?? 'warn',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: join(folder, name),
      // Targets of tests are on this machine.
      TARGET_ALLOW: '127.0.0.0/8',
      RDAP_BOOTSTRAP: 'none',
      // What is counted is what a test asks for.
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
