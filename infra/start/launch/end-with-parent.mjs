const pollMs = 250

/**
 * Sends SIGTERM to this process, once, when its parent process has ended. Only for processes whose parent
 * waits for them: a shell may start us in the background and end.
 */
export const endWithParent = () => {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, pollMs)
  timer.unref()
}
