import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Reserves a port before a start changes anything, and releases it for the program's server. Port 0 means any
 * free port: nothing is reserved.
 * @throws Error that says what to do if another program uses the port
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
    throw new Error(`${host}:${port} is not available: ${whyOf(cause)}`, { cause })
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
      return 'another program uses it. Stop that program, or set PORT.'
    case 'EACCES':
      return 'ports below 1024 need root. Set PORT to a higher one.'
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine does not have that address. Set HOST.'
    default:
      return String(error)
  }
}
