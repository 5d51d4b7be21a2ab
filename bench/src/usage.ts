/** CPU of a whole process since its start, and when that was read, seconds. */
export type Usage = { cpuSeconds: number; atSeconds: number }

/** Of this process: user and system, all threads. */
export const usageOfProcess = (): Usage => {
  const { user, system } = process.cpuUsage()
  return { cpuSeconds: (user + system) / 1_000_000, atSeconds: performance.now() / 1_000 }
}
