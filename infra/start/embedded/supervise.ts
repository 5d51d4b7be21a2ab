import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from './log.ts'

const restartMsMin = 250
const restartMsMax = 10_000

/** The result of `startPostgres` and `startClickHouse`. */
export type EmbeddedServer = {
  readonly url: string
  readonly pid: number
  readonly exited: Promise<void>
  close(): Promise<void>
}

/**
 * Keeps a server up behind one URL: if it ends before `close`, it is restarted there, with growing pauses.
 * @throws the error of the first start
 */
export const supervise = async (
  name: string,
  start: (behind: string | null) => Promise<EmbeddedServer>,
  log: Log,
): Promise<{ url: string; close(): Promise<void> }> => {
  const closing = new AbortController()
  let server = await start(null)
  const { url } = server

  const startAgain = async (): Promise<void> => {
    for (let pauseMs = restartMsMin; !closing.signal.aborted;) {
      try {
        server = await start(url)
        return
      } catch (error) {
        log.warn({ err: error, name, pauseMs }, 'an embedded server did not start')
      }
      await wait(pauseMs, null, { signal: closing.signal }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, restartMsMax)
    }
  }
  const watch = async (): Promise<void> => {
    for (;;) {
      await server.exited
      if (closing.signal.aborted) return
      log.warn({ name, pid: server.pid }, 'an embedded server ended: restarting it')
      await startAgain()
      if (closing.signal.aborted) await server.close()
    }
  }
  const watching = watch()
  return {
    url,
    close: async () => {
      closing.abort()
      await server.close()
      await watching
    },
  }
}
