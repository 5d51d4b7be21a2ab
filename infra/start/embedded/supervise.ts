import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from './log.ts'

const restartMsMin = 250
const restartMsMax = 10_000

/** What `startPostgres` and `startClickHouse` resolve with. */
export type EmbeddedServer = {
  readonly url: string
  readonly pid: number
  readonly exited: Promise<void>
  close(): Promise<void>
}

/**
 * Keeps a server up behind one URL: when it ends without being asked to, it is started again
 * there, with growing pauses, until `close`.
 * @throws what `start` throws, the first time
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
        log.warn({ err: error, name, pauseMs }, 'an embedded server does not start')
      }
      await wait(pauseMs, null, { signal: closing.signal }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, restartMsMax)
    }
  }
  const watch = async (): Promise<void> => {
    for (;;) {
      await server.exited
      if (closing.signal.aborted) return
      log.warn({ name, pid: server.pid }, 'an embedded server ended: starting it again')
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
