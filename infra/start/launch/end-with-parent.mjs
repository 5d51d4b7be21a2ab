const lookMs = 250

/**
 * Sends this process SIGTERM, once, when the process that started it has ended. A shell that starts us in the
 * background may end and leave us running, so this is for who was started by something that waits for us.
 */
export const endWithParent = () => {
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    process.kill(process.pid, 'SIGTERM')
  }, lookMs)
  looking.unref()
}
