import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { becomesTrue } from '../../start/embedded/bounded.ts'
import { send, type Part } from './part.ts'

/** A start takes seconds, and minutes on a machine that others use. */
const readyMsDefault = 180_000
const readyPollMs = 25
const stopMsMax = 20_000
/** How much of a part's output an error quotes. */
const tailCharacters = 4_000

/**
 * Before the shell becomes the command, it starts a watcher in the same process group on a pipe from the
 * test's process. The watcher kills the group when that process ends in any way.
 */
const watched = `(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec 3<&-; exec "$@"`

/**
 * Creates a part from a command, in its own process group. Its output goes to a file.
 * @param options.isReady polled after a start; an error means no
 */
export const createCommandPart = (options: {
  name: string
  /** A function is called at each start. */
  command: readonly string[] | (() => readonly string[])
  environment: Readonly<Record<string, string | undefined>>
  logFile: string
  isReady: () => Promise<boolean>
  /** For a command that downloads something first. */
  readyMsMax?: number
}): Part => {
  const { name, logFile, readyMsMax = readyMsDefault } = options
  let child: ChildProcess | null = null

  const isAlive = () => child !== null && child.exitCode === null && child.signalCode === null
  const running = (): ChildProcess & { pid: number } => {
    if (child === null) throw new Error(`${name} is not running`)
    if (!isAlive()) throw failure(`is not running: it ended with ${endOf(child)}`)
    return withPid(child)
  }
  const failure = (what: string): Error =>
    new Error(`${name} ${what}; it printed:\n${readText(logFile).slice(-tailCharacters)}`)
  const kill = async () => {
    const victim = running()
    const ended = once(victim, 'exit')
    const at = Date.now()
    send(-victim.pid, 'SIGKILL')
    await ended
    return at
  }

  return {
    name,
    get isAlive() {
      return isAlive()
    },
    start: async () => {
      if (isAlive()) throw new Error(`${name} is running already`)
      const started = spawnWatched(options)
      child = started
      let readyAt = 0
      await becomesTrue(
        async () => {
          if (!isAlive()) return true
          if (await options.isReady().catch(() => false)) readyAt = Date.now()
          return readyAt > 0
        },
        { waitMs: readyMsMax, everyMs: readyPollMs },
      )
      if (readyAt > 0) return readyAt
      if (!isAlive()) throw failure(`ended with ${endOf(started)}`)
      await kill()
      throw failure(`was not ready within ${readyMsMax} ms`)
    },
    kill,
    stop: async () => {
      const stopping = running()
      const ended = once(stopping, 'exit')
      send(stopping.pid, 'SIGTERM')
      const late = setTimeout(() => send(-stopping.pid, 'SIGKILL'), stopMsMax)
      await ended
      clearTimeout(late)
      return stopping.exitCode
    },
    printed: () => readText(logFile).slice(-tailCharacters),
    // Not the watcher, which must stay able to act.
    pause: () => void send(running().pid, 'SIGSTOP'),
    resume: () => void send(running().pid, 'SIGCONT'),
    processIds: () => (isAlive() ? [running().pid] : []),
    close: async () => {
      if (isAlive()) await kill()
    },
  }
}

const endOf = ({ exitCode, signalCode }: ChildProcess): string => String(exitCode ?? signalCode)

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const spawnWatched = (options: {
  command: readonly string[] | (() => readonly string[])
  environment: Readonly<Record<string, string | undefined>>
  logFile: string
}): ChildProcess => {
  const log = openSync(options.logFile, 'a')
  const command = typeof options.command === 'function' ? options.command() : options.command
  try {
    const child = spawn('/bin/sh', ['-c', watched, 'sh', ...command], {
      detached: true,
      stdio: ['ignore', log, log, 'pipe'],
      env: { PATH: process.env['PATH'], ...options.environment },
    })
    child.once('exit', () => child.stdio[3]?.destroy())
    child.stdio[3]?.on('error', () => {})
    return child
  } finally {
    closeSync(log)
  }
}

/** A spawned child has a pid. Spawning does not fail, because `/bin/sh` exists everywhere. */
const withPid = (child: ChildProcess): ChildProcess & { pid: number } =>
  child as ChildProcess & { pid: number }
