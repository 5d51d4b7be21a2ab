import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findNatsServer } from './nats-server.ts'
import { freezeProcess } from './freeze-process.ts'

const startMsMax = 60_000
const pollMs = 10

export type TestNats = {
  readonly url: string
  /** kill -9 */
  kill(): Promise<void>
  /** Restarts it on the same port and disk. */
  start(): Promise<void>
  /** Kills it and deletes its data. */
  wipe(): Promise<void>
  /** Freezes it with open connections until `resume`. */
  pause(): Promise<void>
  resume(): void
  /** Ends it and deletes its data. */
  close(): Promise<void>
}

export type TestNatsOptions = {
  /** The text of a configuration that stores in the given folder. Its address is overridden. */
  configuration?: (storeDir: string) => string
  /** An existing configuration file, with its own storage folder. */
  configurationFile?: string
  /** Further flags of the command line. */
  flags?: readonly string[]
  /** Included files, by name, in the same folder. */
  includes?: Readonly<Record<string, string>>
}

/** Starts a nats-server with JetStream, on a free port of the loopback and a temporary folder. */
export const startTestNats = async (options: TestNatsOptions = {}): Promise<TestNats> => {
  const binary = process.env['TEST_NATS_SERVER'] ?? (await findNatsServer())
  const folder = await mkdtemp(join(tmpdir(), 'probe-mesh-nats-'))
  const store = join(folder, 'store')
  const settings = ['--ports_file_dir', folder, ...(options.flags ?? [])]
  if (options.configurationFile !== undefined) settings.push('-c', options.configurationFile)
  else if (options.configuration === undefined) settings.push('-js', '-sd', store)
  else {
    const path = join(folder, 'nats-server.conf')
    const files = { ...options.includes, 'nats-server.conf': options.configuration(store) }
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(folder, name), text, { mode: 0o600 })
    }
    settings.push('-c', path)
  }
  let child: ChildProcess | null = null
  let port = -1

  const start = async () => {
    const started = spawn(binary, ['-a', '127.0.0.1', '-p', String(port), ...settings], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child = started
    let log = ''
    started.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-4_000)
    })
    const failed = once(started, 'error').then(([error]) => {
      throw error
    })
    failed.catch(() => undefined)
    const portsFile = join(folder, `nats-server_${started.pid}.ports`)
    const end = performance.now() + startMsMax
    for (;;) {
      if (started.exitCode !== null || performance.now() > end) {
        throw new Error(`nats-server did not start: ${log}`)
      }
      const url = await Promise.race([readUrl(portsFile), failed])
      if (url !== null) {
        port = Number(new URL(url).port)
        return
      }
      await wait(pollMs)
    }
  }
  const stop = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const stopping = child
    child = null
    if (stopping === null || stopping.exitCode !== null) return
    const ended = once(stopping, 'exit')
    stopping.kill(signal)
    // A frozen process would get the signal only later.
    stopping.kill('SIGCONT')
    await ended
  }
  const close = async () => {
    await stop('SIGTERM')
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }

  try {
    await start()
  } catch (error) {
    await stop('SIGKILL')
    await close()
    throw error
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    start,
    kill: () => stop('SIGKILL'),
    pause: async () => {
      if (child?.pid !== undefined) await freezeProcess(child.pid)
    },
    resume: () => void child?.kill('SIGCONT'),
    wipe: async () => {
      await stop('SIGKILL')
      await rm(store, { recursive: true, force: true, maxRetries: 3 })
    },
    close,
  }
}

/** The server writes its address to this file once it listens. */
const readUrl = async (portsFile: string): Promise<string | null> => {
  const text = await readFile(portsFile, 'utf8').catch(() => '')
  try {
    const ports: unknown = JSON.parse(text)
    if (typeof ports !== 'object' || ports === null || !('nats' in ports)) return null
    return Array.isArray(ports.nats) ? String(ports.nats[0]) : null
  } catch {
    return null
  }
}
