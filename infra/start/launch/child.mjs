import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isNewSignal } from './decisions.mjs'

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** `quiet`: a failure is reported by whoever started the command. */
const outputs = {
  inherit: ['inherit', 'inherit', 'inherit'],
  stderr: ['ignore', 2, 2],
  quiet: ['ignore', 'ignore', 'ignore'],
}

/**
 * Before the shell becomes the command, it starts a watcher on a pipe from this process. If the pipe ends
 * because this process was killed, the watcher kills the command. A line on the pipe means that the command
 * ended.
 */
const watched = '(read -r _ <&3 || kill -KILL $$) >/dev/null 2>&1 & exec 3<&-; exec "$@"'

/**
 * Runs a command to its end, in its own session, so that it gets a signal for our process group only once,
 * from this process.
 * @param {string[]} command
 * @param {{ cwd?: string, env: NodeJS.ProcessEnv, output: 'inherit' | 'stderr' | 'quiet' }} options
 * @returns {Promise<number>} its exit code, or 128 plus the number of the signal that ended it
 */
export const runToEnd = (command, { cwd, env, output }) =>
  new Promise((resolve, reject) => {
    const streams = outputs[output]
    const child = spawn('/bin/sh', ['-c', watched, 'sh', ...command], {
      cwd,
      env,
      detached: true,
      stdio: [...streams, 'pipe'],
    })
    const lastMs = new Map()
    const forward = (signal) => {
      const now = performance.now()
      if (isNewSignal(lastMs.get(signal) ?? null, now)) child.kill(signal)
      lastMs.set(signal, now)
    }
    for (const signal of forwarded) process.on(signal, forward)
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      for (const name of forwarded) process.off(name, forward)
      child.stdio[3].on('error', () => {})
      child.stdio[3].end('\n')
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
