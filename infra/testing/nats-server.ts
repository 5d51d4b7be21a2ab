import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findDebianBinary } from './debian-binary.ts'

/** Debian's stable release has 2.10. The oldest server that the bus must support is 2.9. */
const natsServer = {
  package: 'nats-server',
  names: ['nats-server'],
  path: 'usr/sbin/nats-server',
  suite: 'trixie',
  isUsable: async (path: string): Promise<boolean> => {
    const { stdout } = await promisify(execFile)(path, ['--version'])
    const [, major = 0, minor = 0] = /v(\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? []
    return major > 2 || (major === 2 && minor >= 10)
  },
}

/**
 * Returns the path of a nats-server: that of the machine if it is new enough, or Debian's, downloaded into this checkout.
 * @throws Error that names the package to install
 */
export const findNatsServer = async (): Promise<string> => {
  try {
    return await findDebianBinary(natsServer, { mayFetch: true })
  } catch (error) {
    throw new Error(
      'no nats-server: install version 2.9 or later so that it is in PATH (https://nats.io/download, or apt install nats-server)',
      { cause: error },
    )
  }
}
