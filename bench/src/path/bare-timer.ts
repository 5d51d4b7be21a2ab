/** The rate at which 10,000 checks of 60 s are due. */
const periodMs = 6

/**
 * The control for lateness: one timer without work, armed for instants as a scheduler is, in a process that
 * does nothing else. Its lateness is that of the machine.
 */
export const startBareTimer = (): { stop(): number[] } => {
  const late: number[] = []
  let due = Date.now() + periodMs
  let timer: NodeJS.Timeout
  const fire = (): void => {
    const now = Date.now()
    for (; due <= now; due += periodMs) late.push(now - due)
    timer = setTimeout(fire, Math.max(0, Math.ceil(due - now)))
  }
  timer = setTimeout(fire, periodMs)
  return {
    stop: () => {
      clearTimeout(timer)
      return late
    },
  }
}
