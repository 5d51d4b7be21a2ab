import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that systems use for outgoing connections: while a part is dead, such a connection could
 * occupy its port, even one that tries to reach it.
 */
const portMin = 12_000
const portMax = 32_000

/** Returns different ports of the loopback on which no program listens now. */
export const freePorts = async (count: number): Promise<number[]> => {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = portMin + Math.floor(Math.random() * (portMax - portMin))
    if (!ports.has(port) && (await isFree(port))) ports.add(port)
  }
  return [...ports]
}

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  try {
    server.listen({ host: '127.0.0.1', port })
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return true
  } catch {
    return false
  }
}
