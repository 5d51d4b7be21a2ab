import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** The state of the network between two parts. */
type Passage = 'pass' | 'blackhole' | 'refuse'

/** A TCP proxy that a test can cut. */
export type Proxy = {
  readonly port: number
  /** Forwards data. Resets connections from a black hole, whose peers have timed out. */
  pass(): void
  /** Drops data in both directions without a reset. New connections stay silent. */
  blackhole(): void
  /** Resets open and new connections. */
  refuse(): void
  close(): Promise<void>
}

/** Starts a TCP proxy on the loopback in front of a port of the loopback. */
export const startProxy = async (targetPort: number): Promise<Proxy> => {
  let passage: Passage = 'pass'
  /** Each accepted connection with its upstream connection; null: none. */
  const connections = new Map<Socket, Socket | null>()

  const drop = (near: Socket): void => {
    connections.get(near)?.resetAndDestroy()
    connections.delete(near)
    near.resetAndDestroy()
  }
  const carry = (near: Socket): void => {
    const far = connect({ host: '127.0.0.1', port: targetPort })
    connections.set(near, far)
    far.setNoDelay(true)
    near.pipe(far)
    far.pipe(near)
    far.on('error', () => {
      if (passage === 'pass') drop(near)
    })
  }
  const server = createServer((near) => {
    near.setNoDelay(true)
    near.on('error', () => drop(near))
    near.on('close', () => {
      connections.get(near)?.destroy()
      connections.delete(near)
    })
    connections.set(near, null)
    if (passage === 'refuse') drop(near)
    if (passage === 'pass') carry(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const turn = (next: Passage): void => {
    const stale = next === 'refuse' || (next === 'pass' && passage === 'blackhole')
    passage = next
    for (const [near, far] of connections) {
      if (stale) drop(near)
      else if (next === 'blackhole' && far !== null) {
        near.unpipe(far).pause()
        far.unpipe(near).pause()
      }
    }
  }
  return {
    port,
    pass: () => turn('pass'),
    blackhole: () => turn('blackhole'),
    refuse: () => turn('refuse'),
    close: async () => {
      for (const near of connections.keys()) drop(near)
      server.close()
      await once(server, 'close')
    },
  }
}
