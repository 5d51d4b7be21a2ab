import type { Sql } from './connect.ts'

export type Listening = { close(): Promise<void> }

/**
 * Follows a Postgres channel. Notifications sent while the connection was away are lost, so
 * `onConnected` is called at the start and after every reconnection: whoever listens catches up there.
 */
export const listen = async (
  sql: Sql,
  channel: string,
  handlers: { onNotify(payload: string): void; onConnected(): void },
): Promise<Listening> => {
  const { unlisten } = await sql.listen(channel, handlers.onNotify, handlers.onConnected)
  return { close: unlisten }
}
