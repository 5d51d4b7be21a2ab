import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Credentials } from '../start/all-in-one/credentials.ts'
import { becomesTrue } from '../start/embedded/bounded.ts'
import type { RunningStores } from '../start/stores/running-stores.ts'
import { emptyCatalogFile } from './empty-catalog.ts'
import { freePorts } from './processes/free-ports.ts'
import { readMetric } from './processes/metric.ts'

const main = fileURLToPath(new URL('../start/all-in-one/main.ts', import.meta.url))
/** A start takes seconds, and a minute on a machine that others use. */
const readyWithin = { waitMs: 180_000, everyMs: 50 }

/** `npm start` in its own process group, which can be killed repeatedly. */
export type MeshProcess = {
  apiUrl: string
  /** Resolves when `/readyz` reports ready. @returns the time, Unix ms */
  start(): Promise<number>
  /** Sends kill -9 to the process and its children. @returns the time, Unix ms */
  kill(): Promise<number>
  /** SIGTERM. @returns the exit code */
  stop(): Promise<number | null>
  /** Ends all remaining processes. */
  close(): Promise<void>
  credentials(): Promise<Credentials>
  stores(): Promise<RunningStores>
  /** The sum of a metric over its labels. */
  metric(name: string): Promise<number>
}

export const createMeshProcess = async (options: {
  dataDir: string
  environment: Record<string, string>
  /** A file descriptor for its log and all other output; absent: the log is in the output of the test. */
  logTo?: number
}): Promise<MeshProcess> => {
  const [port] = await freePorts(1)
  const root = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null

  const running = (): ChildProcess => {
    if (child === null) throw new Error('the mesh is not running')
    return child
  }
  const kill = async (): Promise<number> => {
    const victim = running()
    const ended = once(victim, 'exit')
    const at = Date.now()
    process.kill(-(victim.pid ?? 0), 'SIGKILL')
    await ended
    child = null
    return at
  }
  const readJson = async <T>(name: string): Promise<T> =>
    JSON.parse(await readFile(join(options.dataDir, name), 'utf8')) as T

  const credentials = () => readJson<Credentials>('credentials.json')

  return {
    apiUrl: `${root}/v1`,
    start: async () => {
      const started = spawn(process.execPath, [main, '--no-seed'], {
        detached: true,
        stdio: ['ignore', options.logTo ?? 'ignore', options.logTo ?? 'inherit'],
        env: {
          PATH: process.env['PATH'],
          LOG_LEVEL: 'warn',
          PORT: String(port),
          MCP_PORT: '0',
          // tests never query the real registries
          RDAP_BOOTSTRAP: 'none',
          // tests have no internet
          CANARIES: 'none',
          DATA_DIR: options.dataDir,
          // only the checks of the test are counted
          CATALOG_FILE: emptyCatalogFile,
          ...options.environment,
        },
      })
      child = started
      let answer = 'nothing answered'
      const isReady = async (): Promise<boolean> => {
        if (started.exitCode !== null) throw new Error(`the process ended with ${started.exitCode}`)
        const response = await fetch(`${root}/readyz`).catch((error: unknown) => String(error))
        if (typeof response === 'string') answer = response
        else if (response.ok) return true
        else answer = await response.text()
        return false
      }
      if (!(await becomesTrue(isReady, readyWithin))) throw new Error(`not ready: ${answer}`)
      return Date.now()
    },
    kill,
    close: async () => {
      if (child !== null && child.exitCode === null) await kill()
    },
    stop: async () => {
      const stopping = running()
      const ended = once(stopping, 'exit')
      stopping.kill('SIGTERM')
      await ended
      child = null
      return stopping.exitCode
    },
    credentials,
    stores: () => readJson<RunningStores>('embedded.json'),
    metric: async (name) => readMetric(root, name, {}, (await credentials()).metricsToken),
  }
}
