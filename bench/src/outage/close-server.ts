import type { Server } from 'node:http'

/** Ends a server with whatever is connected to it. */
export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
