import type { Socket } from 'node:net'

/** Limits for the peer: time to close its side, and bytes that it may still send. */
const lingerMsMax = 500
const discardedBytesMax = 64 * 1024

/**
 * Closes a connection gracefully: last command, own side closed, the peer's last bytes read.
 * Destroying a socket with unread bytes would reset the connection, which servers log as an error.
 * Needs no waiting: it ends by itself within `lingerMsMax`.
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
