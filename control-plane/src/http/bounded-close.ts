import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** The time for running requests to finish on close. After this their connections are closed. */
const closeMsMax = 10_000

/**
 * Limits how long `app.close` takes. Node closes idle connections, but waits for those that never sent a byte,
 * which clients open in advance.
 */
export const boundClose = (app: FastifyInstance): void => {
  const server: Server = app.server
  const sockets = new Set<Socket>()
  let cut: NodeJS.Timeout | undefined
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    cut = setTimeout(() => server.closeAllConnections(), closeMsMax)
    cut.unref()
  })
  app.addHook('onClose', async () => {
    clearTimeout(cut)
  })
}
