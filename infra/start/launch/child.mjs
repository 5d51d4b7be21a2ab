import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isNewSignal } from './decisions.mjs'

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Before it becomes the command the shell leaves a watcher behind. It reads from a pipe that ends
 * when we do: if we were killed outright, so is the command. A line means that the command ended.
 */
const watched = '(read -r _ <&3 || kill -KILL $$) >/dev/null 2>&1 & exec 3<&-; exec "$@"'

/**
 * Runs a command to its end. It has a session of its own, so that a signal for our process group
 * reaches it through us alone, and once.
 * @param {string[]} command
 * @param {{ cwd?: string, env: NodeJS.ProcessEnv, output: 'inherit' | 'stderr' }} options
 * @returns {Promise<number>} its exit code, 128 and the signal's number when a signal ended it
 */
export const runToEnd = (command, { cwd, env, output }) =>
  new Promise((resolve, reject) => {
    const streams = output === 'inherit' ? ['inherit', 'inherit', 'inherit'] : ['ignore', 2, 2]
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
