import { readFileSync } from 'node:fs'

/** CPU of a whole process since its start, and when that was read, seconds. */
export type Usage = { cpuSeconds: number; atSeconds: number }

/** Of this process: user and system, all threads. */
export const usageOfProcess = (): Usage => {
  const { user, system } = process.cpuUsage()
  return { cpuSeconds: (user + system) / 1_000_000, atSeconds: performance.now() / 1_000 }
}

/** User and system CPU of this process since `before`, all its threads, seconds. */
export const cpuSecondsSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000_000
}

/** Clock ticks of `/proc` in a second, as Linux shows them to every program. */
const ticksPerSecond = 100

/**
 * User and system CPU of every process that this one started and that has ended, with those that they
 * waited for themselves (`proc_pid_stat(5)`), ms.
 */
export const cpuMsOfEndedChildren = (): number => {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[13]) + Number(fields[14])) * 1_000) / ticksPerSecond
}
