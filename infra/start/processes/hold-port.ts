import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Takes a port before anything is begun that a start leaves behind, and answers nothing on it until it is
 * released for the program's own server. Port 0 is any that is free: nothing is held.
 * @throws Error that says what to do where another program has the port
 */
export const holdPort = async ({
  host,
  port,
}: {
  host: string
  port: number
}): Promise<{ release(): Promise<void> }> => {
  if (port === 0) return { release: async () => {} }
  const server = createServer((socket) => socket.destroy())
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (cause) {
    throw new Error(`${host}:${port} cannot be taken: ${whyOf(cause)}`, { cause })
  }
  return {
    release: async () => {
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
}

const whyOf = (error: unknown): string => {
  switch (error instanceof Error && 'code' in error ? error.code : null) {
    case 'EADDRINUSE':
      return 'another program has it. Stop that one, or set PORT.'
    case 'EACCES':
      return 'ports below 1024 are for root. Set PORT to a higher one.'
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine does not have that address. Set HOST.'
    default:
      return String(error)
  }
}
