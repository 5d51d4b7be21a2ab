import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { settlesWithin } from '../bounded.ts'
import type { Log } from '../log.ts'
import type { Binaries } from './binaries.ts'
import { serverEnvironment } from './cluster.ts'
import type { RunAs } from './run-as.ts'

const fastShutdownMs = 20_000
const immediateShutdownMs = 10_000
/** Lines of the server's log that an error may quote. */
const tailLinesMax = 20

/** One run of the postgres binary. */
export type ServerProcess = {
  readonly pid: number
  readonly exited: Promise<void>
  readonly hasExited: () => boolean
  readonly tail: () => string
  close(): Promise<void>
}

/**
 * Before the shell becomes Postgres, it starts a watcher on a pipe from this process. When the pipe ends,
 * because this process ended in any way, the watcher sends SIGINT, the fast shutdown. A line on the pipe
 * means that Postgres has ended.
 */
const watched = `(read -r _ <&3 || kill -INT $$) >/dev/null 2>&1 & exec 3<&-; exec "$@"`

/**
 * Starts Postgres in its own session, so that signals to our process group reach only this process, which
 * stops parts in order.
 */
export const spawnServer = (options: {
  cluster: string
  port: number
  binaries: Binaries
  runAs: RunAs
  settings: readonly string[]
  log: Log
}): ServerProcess => {
  const { cluster, port, binaries, runAs, settings, log } = options
  const command = [...runAs.prefix, join(binaries.folder, 'postgres')]
  const flags = ['-D', cluster, '-p', String(port), ...settings.flatMap((value) => ['-c', value])]
  const child = spawn('/bin/sh', ['-c', watched, 'sh', ...command, ...flags], {
    ...runAs.identity,
    cwd: '/',
    env: serverEnvironment(),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const tail: string[] = []
  if (child.stderr !== null) readLog(child.stderr, tail, log)

  let ended = false
  const exited = Promise.race([once(child, 'exit'), once(child, 'error')]).then(
    () => {
      ended = true
      standDown(child)
    },
    (error: unknown) => {
      ended = true
      tail.push(String(error))
    },
  )
  return {
    pid: child.pid ?? 0,
    exited,
    hasExited: () => ended,
    tail: () => tail.join('\n'),
    close: async () => {
      if (!ended) child.kill('SIGINT')
      if (await settlesWithin(fastShutdownMs, exited)) return
      log.warn({ pid: child.pid }, 'Postgres did not shut down in time: ending it at once')
      child.kill('SIGQUIT')
      if (await settlesWithin(immediateShutdownMs, exited)) return
      child.kill('SIGKILL')
      await exited
    },
  }
}

const readLog = (stderr: Readable, tail: string[], log: Log): void => {
  createInterface({ input: stderr, crlfDelay: Infinity }).on('line', (line) => {
    tail.push(line)
    if (tail.length > tailLinesMax) tail.shift()
    if (/\b(FATAL|PANIC):/.test(line)) log.warn({ line }, 'postgres')
    else log.debug({ line }, 'postgres')
  })
}

const standDown = (child: ChildProcess): void => {
  const pipe = child.stdio[3]
  if (pipe === null || pipe === undefined || !('end' in pipe)) return
  pipe.on('error', () => {})
  pipe.end('\n')
}
