/** One process of a mesh, with its children, under the control of a test. */
export type Part = {
  readonly name: string
  readonly isAlive: boolean
  /**
   * Starts or restarts it on the same port and disk. @returns when it was ready, Unix ms
   * @throws Error with the end of its output
   */
  start(): Promise<number>
  /** Sends kill -9 to the process and its children. @returns the time, Unix ms */
  kill(): Promise<number>
  /** Stops it like an operator. @returns the exit code; null: unknown */
  stop(): Promise<number | null>
  /** The end of its output since its first start. */
  printed(): string
  /** SIGSTOP: freezes it with open connections. */
  pause(): void
  /** SIGCONT */
  resume(): void
  /** Its running processes, the parent first; empty while it is dead. */
  processIds(): readonly number[]
  /** Ends its remaining processes. */
  close(): Promise<void>
}

/** Sends a signal to a process, or with a negative pid to a group. @returns whether it existed */
export const send = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    process.kill(pid, signal)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}
