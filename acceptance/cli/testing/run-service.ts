import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

export type Ran = { exitCode: number | null; out: string; err: string }

export type RunHow = {
  environment?: Record<string, string>
  input?: string
  cwd?: string
  node?: string
  /** Ends a long-running command with Ctrl-C after its first line. */
  isEndedAfterLine?: boolean
  /** Sends a signal once standard error has this text. */
  signalAt?: { text: string; signal: NodeJS.Signals }
}

/**
 * Runs the executable to its end, with only PATH from this process's environment.
 * @param how.node instead of the first in the PATH
 */
export const runService = async (bin: string, args: readonly string[], how: RunHow = {}): Promise<Ran> => {
  const [command, ...before] = how.node === undefined ? [bin] : [how.node, bin]
  const child = spawn(command, [...before, ...args], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...how.environment },
    ...(how.cwd === undefined ? {} : { cwd: how.cwd }),
    timeout: 60_000,
  })
  child.stdin.on('error', () => {
    // a command that does not read its input ends before all is written
  })
  child.stdin.end(how.input ?? '')
  if (how.isEndedAfterLine === true) child.stdout.once('data', () => child.kill('SIGINT'))
  const { signalAt } = how
  if (signalAt !== undefined) {
    let seen = ''
    const watch = (part: Buffer): void => {
      seen += part.toString()
      if (!seen.includes(signalAt.text)) return
      child.stderr.off('data', watch)
      child.kill(signalAt.signal)
    }
    child.stderr.on('data', watch)
  }
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { exitCode: child.exitCode, out, err: err.replace(waits, '') }
}

/** Lines like "Reading the checks ...", which a command prints if an answer takes a while. */
const waits = /^[A-Z][\w ]+ \.\.\.\n/gm

/** The expected result of a run. */
export const ended = (exitCode: number, out: string, err = ''): Ran => ({ exitCode, out, err })
