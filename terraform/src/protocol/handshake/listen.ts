import { mkdtempSync, rmSync } from 'node:fs'
import type { Http2Server } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Address } from './invitation.ts'

/**
 * Has a server listen where nobody else may connect: on a socket in a folder that is this user's
 * alone, and on Windows, which has none, on a port of the loopback.
 *
 * @returns where, and what takes the folder away again
 */
export const listen = async (
  server: Http2Server,
  platform: NodeJS.Platform,
): Promise<{ at: Address; remove(): void }> => {
  // 0700 by what mkdtemp is
  const folder = platform === 'win32' ? null : mkdtempSync(join(tmpdir(), 'plugin-'))
  const remove = (): void => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      if (folder === null) server.listen({ host: '127.0.0.1', port: 0 }, resolve)
      else server.listen(join(folder, 'socket'), resolve)
    })
  } catch (error) {
    remove()
    throw error
  }
  const address = server.address()
  if (address === null) throw new Error('a server that listens has no address')
  const at: Address =
    typeof address === 'string'
      ? { network: 'unix', address }
      : { network: 'tcp', address: `${address.address}:${address.port}` }
  return { at, remove }
}
