import type { Sql } from './connect.ts'

export type Listening = { close(): Promise<void> }

/**
 * Listens to a Postgres channel. Notifications sent while the connection was lost never arrive, so
 * `onConnected` is called at the start and after every reconnection, for the listener to catch up.
 */
export const listen = async (
  sql: Sql,
  channel: string,
  handlers: { onNotify(payload: string): void; onConnected(): void },
): Promise<Listening> => {
  const { unlisten } = await sql.listen(channel, handlers.onNotify, handlers.onConnected)
  return { close: unlisten }
}
