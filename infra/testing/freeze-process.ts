import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const waitMsMax = 60_000
const pollMs = 1

/** Stops a process with SIGSTOP. Resolves once each of its threads has stopped, which a busy core delays. */
export const freezeProcess = async (pid: number): Promise<void> => {
  process.kill(pid, 'SIGSTOP')
  const end = performance.now() + waitMsMax
  while (!threadStates(pid).every((state) => state === 'T')) {
    if (performance.now() > end) throw new Error(`process ${pid} did not stop`)
    await wait(pollMs)
  }
}

/** `man 5 proc`, stat: the state follows the name, which is in parentheses and may contain any characters. */
const threadStates = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      return stat.charAt(stat.lastIndexOf(')') + 2)
    } catch {
      // it ended in the meantime
      return []
    }
  })
