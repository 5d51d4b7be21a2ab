import { loopbackInUrl } from '@probe-mesh/runtime/loopback'
import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { settlesWithin } from '../bounded.ts'
import type { Log } from '../log.ts'
import { engineSettings } from './engine-settings.ts'
import { runningMax } from './facade.ts'
import { isServerMessage, type ServerMessage, type StartMessage } from './messages.ts'

const user = 'mesh'
const database = 'mesh'
const readyWaitMs = 60_000
/** Longer than the server waits for its running statements. */
const closeWaitMs = 15_000
/** One thread for each concurrent statement, and some for compression and files. */
const threads = runningMax + 4
const stderrLinesMax = 20

/** A running embedded ClickHouse: chDB behind the HTTP interface. */
export type EmbeddedClickHouse = {
  /** `http://user:password@127.0.0.1:port/mesh` */
  readonly url: string
  readonly pid: number
  /** Resolves when the server ends, also without `close`. */
  readonly exited: Promise<void>
  /** Running statements finish within a bound. Acknowledged writes are kept. */
  close(): Promise<void>
}

/**
 * Starts chDB in a child process, on loopback, with a new password. The child ends when this process ends in
 * any way; the next start waits for its lock on the directory.
 * @param options.behind the URL of an earlier run, to be reused
 * @param options.folder a working directory with a `config.xml` for the engine; absent: the directory of the data, with ours
 * @throws Error with the reason; without chDB for this platform it names CLICKHOUSE_URL
 */
export const startClickHouse = async (options: {
  dataDir: string
  log: Log
  behind?: string | null
  folder?: string
}): Promise<EmbeddedClickHouse> => {
  const { dataDir, log, behind = null, folder = dataDir } = options
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  if (folder === dataDir) await writeFile(join(dataDir, 'config.xml'), engineSettings)
  const earlier = behind === null ? null : new URL(behind)
  const password = earlier?.password ?? randomBytes(24).toString('base64url')
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), {
    // In its own session, so that Ctrl-C in a terminal reaches only this process, which stops parts in order.
    detached: true,
    cwd: folder,
    execArgv: [],
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const tail = readStderr(child, log)
  const exited = once(child, 'exit').then(
    () => {},
    () => {},
  )
  const close = async (): Promise<void> => {
    child.kill('SIGTERM')
    if (await settlesWithin(closeWaitMs, exited)) return
    log.warn({ pid: child.pid }, 'ClickHouse did not end in time: killing it')
    child.kill('SIGKILL')
    await exited
  }
  child.send({
    kind: 'start',
    dataDir: await realpath(dataDir),
    database,
    user,
    password,
    port: Number(earlier?.port ?? 0),
  } satisfies StartMessage)

  const message = await firstMessage(child, exited)
  if (message?.kind === 'ready' && child.pid !== undefined) {
    const { port, version } = message
    log.info({ pid: child.pid, port, version }, 'ClickHouse is ready')
    const url = `http://${user}:${password}@${loopbackInUrl()}:${port}/${database}`
    return { url, pid: child.pid, exited, close }
  }
  await close()
  const said = message?.kind === 'failed' ? message.message : ''
  const reason = [said, tail().trim()].filter((part) => part !== '').join('\n')
  throw new Error(`ClickHouse in ${dataDir} did not start: ${reason || 'it sent no message'}`)
}

const environment = (): NodeJS.ProcessEnv => {
  const cache = process.env['NODE_COMPILE_CACHE']
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    TZ: 'UTC',
    UV_THREADPOOL_SIZE: String(threads),
    // of the engine's allocator: few arenas, and free pages back to the system soon
    MALLOC_CONF: 'narenas:2,dirty_decay_ms:300,muzzy_decay_ms:0',
    ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }),
  }
}

/** Null if the child ended or sent no message in time. */
const firstMessage = async (child: ChildProcess, exited: Promise<void>): Promise<ServerMessage | null> => {
  let message: ServerMessage | null = null
  const said = new Promise<void>((resolve) => {
    child.once('message', (value) => {
      if (isServerMessage(value)) message = value
      resolve()
    })
  })
  await settlesWithin(readyWaitMs, Promise.race([said, exited]))
  return message
}

const readStderr = (child: ChildProcess, log: Log): (() => string) => {
  const lines: string[] = []
  if (child.stderr !== null) {
    createInterface({ input: child.stderr, crlfDelay: Infinity }).on('line', (line) => {
      lines.push(line)
      if (lines.length > stderrLinesMax) lines.shift()
      log.debug({ line }, 'clickhouse')
    })
  }
  return () => lines.join('\n')
}
