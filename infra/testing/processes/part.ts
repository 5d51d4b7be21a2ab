/** One process of a mesh of processes, with all it starts: what a test may do to it. */
export type Part = {
  readonly name: string
  readonly isAlive: boolean
  /**
   * Starts it, again on the same port and disk. @returns when it was ready, Unix ms
   * @throws Error with the end of what it printed
   */
  start(): Promise<number>
  /** kill -9 of the process and of all it started. @returns when that was, Unix ms */
  kill(): Promise<number>
  /** Asks it to end, the way an operator would. @returns the exit code; null where none is known */
  stop(): Promise<number | null>
  /** The end of what it printed since its first start. */
  printed(): string
  /** SIGSTOP: it stands still, with its connections open. */
  pause(): void
  /** SIGCONT */
  resume(): void
  /** Its processes that run now, the one that was started first; none while it is dead. */
  processIds(): readonly number[]
  /** Ends whatever still runs of it. */
  close(): Promise<void>
}

/** Sends a signal to a process, or with a negative number to a group. @returns whether it was there */
export const send = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    process.kill(pid, signal)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}
