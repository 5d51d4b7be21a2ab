import type { Worker } from 'node:worker_threads'

/**
 * Watches the CPU time of a thread for each of its works. Time in which it waits for a busy machine does not count.
 * @param limits.work what the thread works on, compared by identity; null: nothing
 * @param onOver a work took more than it may; nothing is watched after it
 * @returns ends the watch
 */
export const limitCpu = <Work>(
  thread: Worker,
  { cpuMsMax, watchMs, work }: { cpuMsMax: number; watchMs: number; work: () => Work | null },
  onOver: (work: Work) => void,
): (() => void) => {
  let [seen, before]: [Work | null, NodeJS.CpuUsage | null] = [null, null]
  const look = async (): Promise<void> => {
    const now = work()
    if (now === null || now !== seen || before === null) {
      seen = now
      before = await thread.cpuUsage()
      return
    }
    const { user, system } = await thread.cpuUsage(before)
    if (work() !== now || (user + system) / 1_000 <= cpuMsMax) return
    clearInterval(timer)
    onOver(now)
  }
  // a thread that has ended has no CPU time
  const lookSafely = (): void => void look().catch(() => undefined)
  const timer = setInterval(lookSafely, watchMs).unref()
  lookSafely()
  return () => clearInterval(timer)
}
