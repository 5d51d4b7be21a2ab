import type { Socket } from 'node:net'

/** How long a peer may take to close its side, and what it may still send meanwhile. */
const lingerMsMax = 500
const discardedBytesMax = 64 * 1024

/**
 * Ends a connection as a client should: last words, our side closed, the peer's last words read.
 * A socket destroyed with bytes unread would reset the connection, which servers log as an error.
 * Nobody waits for it: it ends by itself within `lingerMsMax`.
 */
export const hangUp = (socket: Socket, lastWords = ''): void => {
  if (socket.destroyed) return
  let discardedBytes = 0
  const timer = setTimeout(() => socket.destroy(), lingerMsMax)
  socket.once('close', () => clearTimeout(timer))
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    discardedBytes += chunk.length
    if (discardedBytes > discardedBytesMax) socket.destroy()
  })
  socket.resume()
  socket.end(lastWords)
}
